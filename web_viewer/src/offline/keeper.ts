/** Keeps a copy of the map while it is live, and brings it back when the service does not answer. */

import type { GraphState } from "../graph/reduce";
import type { GraphSnapshot } from "../protocol/frames";
import { belongsTo, copyOf, frameOf, type Holder, mayShow } from "./copy";
import type { CopyShelf } from "./shelf";

const FIRST_MS = 1_500;
const EVERY_MS = 15_000;

export class CopyKeeper {
  /** Null before the service has said who holds this browser's access. */
  private holder: Holder | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private savedMs: number | null = null;
  private shut = false;

  /**
   * @param state the map to keep, with its scope, as it is when it is saved.
   * @param onSaved is told the moment of each copy.
   */
  constructor(
    private readonly shelf: CopyShelf,
    private readonly state: () => { graph: GraphState; tenant: string; user: string | null },
    private readonly clock: () => number,
    private readonly onSaved: (savedMs: number) => void = () => undefined,
  ) {}

  /** The service said who this is: copies of anybody else go. @returns whether somebody else's copies may have been shown. */
  async meet(holder: string | null, until: string | null): Promise<void> {
    this.holder = { holder, untilMs: until === null ? null : Date.parse(until) };
    await this.tryTo(() => this.shelf.keepOnly((copy) => belongsTo(copy, holder, this.clock())));
  }

  /** The map has changed; a copy follows soon. */
  note(): void {
    if (this.timer !== undefined || this.shut) return;
    const pause = this.savedMs === null ? FIRST_MS : Math.max(FIRST_MS, this.savedMs + EVERY_MS - this.clock());
    this.timer = setTimeout(() => void this.save(), pause);
  }

  async save(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const { graph, tenant, user } = this.state();
    const copy = this.holder && !this.shut ? copyOf(graph, { tenant, user }, this.holder, this.clock()) : null;
    if (copy === null) return;
    await this.tryTo(async () => {
      await this.shelf.put(copy);
      this.savedMs = copy.savedMs;
      this.onSaved(copy.savedMs);
    });
  }

  /** The last copy of a map as a frame; null when there is none that may be shown. */
  async last(tenant: string, user: string | null): Promise<{ frame: GraphSnapshot; holder: string | null } | null> {
    const copy = await this.tryTo(() => this.shelf.get(tenant, user));
    return copy && mayShow(copy, this.clock()) ? { frame: frameOf(copy), holder: copy.holder } : null;
  }

  /** Access has ended: nothing stays, and nothing that is under way comes back. */
  async clear(): Promise<void> {
    this.shut = true;
    clearTimeout(this.timer);
    await this.tryTo(() => this.shelf.keepOnly(() => false));
  }

  /** Somebody was let in again. */
  reopen(): void {
    this.shut = false;
    this.timer = undefined;
  }

  /** A browser that keeps nothing, or is full, costs the copy and nothing else. */
  private async tryTo<T>(deed: () => Promise<T>): Promise<T | null> {
    try {
      return await deed();
    } catch {
      return null;
    }
  }
}
