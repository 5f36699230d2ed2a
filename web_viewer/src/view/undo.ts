/** Takes back what was done to the view: filters, what is hidden, what was moved. The memory itself is never touched. */

export interface Deed {
  undo(): void;
  redo(): void;
}

const DEEDS_MAX = 100;

export class Undo {
  private done: Deed[] = [];
  private undone: Deed[] = [];

  constructor(private readonly onChange: (can: { undo: boolean; redo: boolean }) => void) {}

  /** Notes what has just been done; what was taken back before cannot come again after it. */
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

  /** Another memory is looked at: nothing of the old view can come back. */
  clear(): void {
    this.done = [];
    this.undone = [];
    this.tell();
  }

  private tell(): void {
    this.onChange({ undo: this.done.length > 0, redo: this.undone.length > 0 });
  }
}
