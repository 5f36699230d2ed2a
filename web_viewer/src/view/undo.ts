/** Undo the last thing done: changes of the view, such as filters, hidden and moved nodes, and corrections of the memory. */

export interface UndoStep {
  undo(): void;
  /** Absent if it can only be done again by hand. */
  redo?(): void;
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
    this.done = [...this.done, step].slice(-STEPS_MAX);
    this.undone = [];
    this.tell();
  }

  undo(): void {
    const step = this.done.pop();
    if (!step) return;
    step.undo();
    if (step.redo) this.undone.push(step);
    this.tell();
  }

  redo(): void {
    const step = this.undone.pop();
    if (!step) return;
    step.redo?.();
    this.done.push(step);
    this.tell();
  }

  /** Remove a step that was undone elsewhere, or that cannot be undone any more. */
  drop(step: UndoStep): void {
    this.done = this.done.filter((one) => one !== step);
    this.tell();
  }

  /** Reset for another memory. */
  clear(): void {
    this.done = [];
    this.undone = [];
    this.tell();
  }

  private tell(): void {
    this.onChange({ undo: this.done.length > 0, redo: this.undone.length > 0, text: this.done.at(-1)?.text ?? null });
  }
}
