/** Throttle a function: run at once, then at most once per interval; the last call always runs. */

export class Throttle {
  private timer: ReturnType<typeof setTimeout> | null = null;
  private lastMs = -Infinity;

  constructor(
    private readonly run: () => void,
    public intervalMs: number,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  ask(): void {
    if (this.timer !== null) return;
    const wait = this.lastMs + this.intervalMs - this.nowMs();
    if (wait <= 0) this.fire();
    else this.timer = setTimeout(() => this.fire(), wait);
  }

  stop(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
  }

  private fire(): void {
    this.timer = null;
    this.lastMs = this.nowMs();
    this.run();
  }
}
