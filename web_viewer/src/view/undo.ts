/** Undo changes of the view: filters, hidden and moved nodes. The memory itself is not affected. */

export interface Deed {
  undo(): void;
  redo(): void;
}

const DEEDS_MAX = 100;

export class Undo {
  private done: Deed[] = [];
  private undone: Deed[] = [];

  constructor(private readonly onChange: (can: { undo: boolean; redo: boolean }) => void) {}

  /** Record a change; clears the redo stack. */
  note(deed: Deed): void {
    this.done = [...this.done, deed].slice(-DEEDS_MAX);
    this.undone = [];
    this.tell();
  }

  undo(): void {
    const deed = this.done.pop();
    if (!deed) return;
    deed.undo();
    this.undone.push(deed);
    this.tell();
  }

  redo(): void {
    const deed = this.undone.pop();
    if (!deed) return;
    deed.redo();
    this.done.push(deed);
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
