/** Undo changes of the view: filters, hidden and moved nodes. The memory itself is not affected. */

export interface UndoStep {
  undo(): void;
  redo(): void;
}

const STEPS_MAX = 100;

export class Undo {
  private done: UndoStep[] = [];
  private undone: UndoStep[] = [];

  constructor(private readonly onChange: (can: { undo: boolean; redo: boolean }) => void) {}

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
    this.undone.push(step);
    this.tell();
  }

  redo(): void {
    const step = this.undone.pop();
    if (!step) return;
    step.redo();
    this.done.push(step);
    this.tell();
  }

  /** Reset for another memory. */
  clear(): void {
    this.done = [];
    this.undone = [];
    this.tell();
  }

  private tell(): void {
    this.onChange({ undo: this.done.length > 0, redo: this.undone.length > 0 });
  }
}
