/** The facts that contradict each other, which the service decides. */

import { type Ref, shallowRef } from "vue";
import { askGraphql } from "../live/requests";
import { Throttle } from "../map/throttle";

/** More memories than these are not compared at once. */
const USERS_MAX = 10;
const AGAIN_MS = 5_000;
/** Comparing the facts of a large memory takes seconds, so the service spends at most a tenth of the time on it. */
const PAUSE_FACTOR = 10;
/** Delay before the first comparison, while a person opens what they came for. */
const LATER_MS = 30_000;
const QUERY = "query($user: String!) { contradictions(userId: $user) { facts { id } } }";

export interface ConflictsHost {
  tenant: string;
  /** Ids of the users of the shown memories. */
  people(): readonly string[];
}

export class Conflicts {
  /** The facts of contradictions by id, each with the one that it contradicts. */
  readonly ids: Ref<ReadonlyMap<string, string>> = shallowRef(new Map());
  private readonly pace = new Throttle(() => void this.load(), AGAIN_MS);
  private later: ReturnType<typeof setTimeout> | undefined;
  /** Number of the last load. */
  private loads = 0;
  private isLoading = false;
  /** Facts have changed since the load began. */
  private isOutdated = false;

  constructor(private readonly host: ConflictsHost) {}

  /** Ask again, at most every five seconds, because facts have changed. */
  ask(): void {
    if (this.isLoading) this.isOutdated = true;
    else this.pace.ask();
  }

  /** Ask for the first time about a large memory. */
  askLater(): void {
    clearTimeout(this.later);
    this.later = setTimeout(() => this.ask(), LATER_MS);
  }

  clear(): void {
    clearTimeout(this.later);
    this.loads += 1;
    this.isLoading = this.isOutdated = false;
    this.pace.stop();
    this.pace.intervalMs = AGAIN_MS;
    this.ids.value = new Map();
  }

  private async load(): Promise<void> {
    const mine = ++this.loads;
    const begunMs = performance.now();
    const ids = new Map<string, string>();
    this.isLoading = true;
    this.isOutdated = false;
    try {
      // One memory after another, so that the service has time for what a person waits for.
      for (const user of this.host.people().slice(0, USERS_MAX)) {
        const { contradictions } = await askGraphql<{ contradictions: { facts: { id: string }[] }[] }>(QUERY, { user }, this.host.tenant);
        if (mine !== this.loads) return;
        for (const { facts: [one, other] } of contradictions) if (one && other) ids.set(one.id, other.id).set(other.id, one.id);
      }
      this.ids.value = ids;
    } catch {
      // The status bar shows that the service is away; what it said last stays.
    }
    if (mine !== this.loads) return;
    this.isLoading = false;
    this.pace.intervalMs = Math.max(AGAIN_MS, PAUSE_FACTOR * (performance.now() - begunMs));
    if (this.isOutdated) this.pace.ask();
  }
}
