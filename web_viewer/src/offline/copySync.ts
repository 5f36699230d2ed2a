/** Store a copy of the map while it is live, and load it if the service does not respond. */

import type { GraphState } from "../graph/reduce";
import type { GraphSnapshot, Places } from "../protocol/frames";
import { belongsTo, copyOf, frameOf, placesOf, type Holder, mayShow } from "./copy";
import type { CopyStorage } from "./copyStorage";

const FIRST_MS = 1_500;
const EVERY_MS = 15_000;

export class CopySync {
  /** Null until the service has named the holder. */
  private holder: Holder | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private savedMs: number | null = null;
  private shut = false;

  /**
   * @param state the map to store and its scope, read at the time of saving.
   * @param onSaved called with the time of each copy.
   */
  constructor(
    private readonly storage: CopyStorage,
    private readonly state: () => { graph: GraphState; tenant: string; user: string | null; places: Places["places"] },
    private readonly clock: () => number,
    private readonly onSaved: (savedMs: number) => void = () => undefined,
  ) {}

  /** Set the holder, and delete the copies of others. */
  async meet(holder: string | null, until: string | null): Promise<void> {
    this.holder = { holder, untilMs: until === null ? null : Date.parse(until) };
    await this.tryTo(() => this.storage.keepOnly((copy) => belongsTo(copy, holder, this.clock())));
  }

  /** Schedule storing a copy, after a change of the map. */
  note(): void {
    if (this.timer !== undefined || this.shut) return;
    const pause = this.savedMs === null ? FIRST_MS : Math.max(FIRST_MS, this.savedMs + EVERY_MS - this.clock());
    this.timer = setTimeout(() => void this.save(), pause);
  }

  async save(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const { graph, ...scope } = this.state();
    const copy = this.holder && !this.shut ? copyOf(graph, scope, this.holder, this.clock()) : null;
    if (copy === null) return;
    await this.tryTo(async () => {
      await this.storage.put(copy);
      this.savedMs = copy.savedMs;
      this.onSaved(copy.savedMs);
    });
  }

  /** Return the last copy as frames; null if there is none that may be shown. */
  async last(tenant: string, user: string | null): Promise<{ frame: GraphSnapshot; places: Places; holder: string | null } | null> {
    const copy = await this.tryTo(() => this.storage.get(tenant, user));
    return copy && mayShow(copy, this.clock()) ? { frame: frameOf(copy), places: placesOf(copy), holder: copy.holder } : null;
  }

  /** Delete the copies of a tenant and cancel a pending one. */
  async drop(tenant: string): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    await this.tryTo(() => this.storage.keepOnly((copy) => copy.tenant !== tenant));
  }

  /** Delete all copies and cancel pending ones, after access ended. */
  async clear(): Promise<void> {
    this.shut = true;
    clearTimeout(this.timer);
    await this.tryTo(() => this.storage.keepOnly(() => false));
  }

  /** Allow storing copies again, after access was granted. */
  reopen(): void {
    this.shut = false;
    this.timer = undefined;
  }

  /** Run a storage operation; return null if storage is unavailable or full, as no other part depends on it. */
  private async tryTo<T>(action: () => Promise<T>): Promise<T | null> {
    try {
      return await action();
    } catch {
      return null;
    }
  }
}
