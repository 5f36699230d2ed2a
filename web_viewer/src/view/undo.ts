/** Undo the last thing done: changes of the view, such as filters, hidden and moved nodes, and corrections of the memory. */

export interface UndoStep {
  /** @returns false if it cannot be done now, and stays to be undone. */
  undo(): unknown;
  /** Absent if it can only be done again by hand. Returns as `undo`. */
  redo?(): unknown;
  /** What was done, for the button; absent for changes of the view. */
  text?: string;
}

export interface CanUndo {
  undo: boolean;
  redo: boolean;
  text: string | null;
}

const STEPS_MAX = 100;

export class Undo {
  private done: UndoStep[] = [];
  private undone: UndoStep[] = [];

  constructor(private readonly onChange: (can: CanUndo) => void) {}

  /** Record a change; clears the redo stack. */
  note(step: UndoStep): void {
    this.undone = [];
    this.markDone(step);
  }

  undo(): void {
    const step = this.done.at(-1);
    if (step && step.undo() !== false) this.markUndone(step);
  }

  redo(): void {
    const step = this.undone.at(-1);
    if (step && step.redo?.() !== false) this.markDone(step);
  }

  /** Move a step to those that can be undone. */
  markDone(step: UndoStep): void {
    this.remove(step);
    this.done = [...this.done, step].slice(-STEPS_MAX);
    this.tell();
  }

  /** Move a step to those that can be redone. */
  markUndone(step: UndoStep): void {
    this.remove(step);
    if (step.redo) this.undone.push(step);
    this.tell();
  }

  /** Remove a step that can be neither undone nor redone any more. */
  drop(step: UndoStep): void {
    this.remove(step);
    this.tell();
  }

  /** Reset for another memory. */
  clear(): void {
    this.done = [];
    this.undone = [];
    this.tell();
  }

  private remove(step: UndoStep): void {
    this.done = this.done.filter((one) => one !== step);
    this.undone = this.undone.filter((one) => one !== step);
  }

  private tell(): void {
    this.onChange({ undo: this.done.length > 0, redo: this.undone.length > 0, text: this.done.at(-1)?.text ?? null });
  }
}
