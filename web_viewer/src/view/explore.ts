/** Exploring beyond what the page holds: neighbours on demand, paths, and a search over the whole memory. */

import { type Ref, ref, shallowRef } from "vue";
import type { GraphStore } from "../graph/store";
import { asked, askService } from "../live/ask";
import type { GraphNode } from "../protocol/frames";
import type { GraphPart } from "../protocol/generated";
import type { Moments } from "./moments";
import type { Trail } from "./trail";

const SEARCH_AFTER_MS = 90;
const HITS_MAX = 20;
export const AROUND = 40;

/** What was fetched beside the snapshot, so that it can be fetched again after the next one. */
type Fetched = { around: string; limit: number } | { source: string; target: string } | { community: string } | { at: Moments };

export interface ExploreHost {
  tenant: string;
  store: GraphStore;
  user(): string | null;
}

export class Explore {
  /** What the service found for the words in the search box, and the page does not hold. */
  readonly farHits: Ref<GraphNode[]> = shallowRef([]);
  readonly searching = ref(false);
  readonly trail: Ref<Trail | null> = shallowRef(null);
  /** One end of a path, while the other one is being chosen. */
  readonly pathFrom: Ref<string | null> = ref(null);
  readonly busy = ref(0);
  readonly failure: Ref<string | null> = ref(null);
  private fetched: Fetched[] = [];
  private timer: ReturnType<typeof setTimeout> | undefined;
  private pending: AbortController | null = null;

  constructor(private readonly host: ExploreHost) {}

  /** @returns the ids that came; null when the service did not answer. */
  async around(id: string, limit = AROUND): Promise<string[] | null> {
    this.keep({ around: id, limit });
    return (await this.take(`around/${encodeURIComponent(id)}`, { limit }))?.ids ?? null;
  }

  /** The members of a community, to be handed to `takeIn` once the page knows where they belong. */
  community(id: string, limit: number): Promise<GraphPart | null> {
    this.keep({ community: id });
    return this.fetch(`community/${encodeURIComponent(id)}`, { limit });
  }

  takeIn(part: GraphPart): void {
    this.host.store.takePart(part);
  }

  /** Fetches what tells most of another time. */
  async at(moments: Moments): Promise<void> {
    const values = { valid_at: moments.validAt ?? "", as_of: moments.asOf ?? "" };
    this.keep({ at: moments });
    await this.take("at", values);
  }

  /** Points out the best path between two things. */
  async findPath(source: string, target: string): Promise<void> {
    this.pathFrom.value = null;
    this.keep({ source, target });
    const found = await this.take("path", { source, target });
    if (found) this.trail.value = { source, target, paths: found.part.paths, at: 0 };
  }

  closePath(): void {
    this.trail.value = null;
    this.pathFrom.value = null;
    this.fetched = this.fetched.filter((one) => !("source" in one));
  }

  /** Asks for what the words mean, a moment after the last key. */
  search(query: string): void {
    clearTimeout(this.timer);
    this.pending?.abort();
    const q = query.trim();
    this.searching.value = q !== "";
    if (q === "") {
      this.farHits.value = [];
      return;
    }
    this.timer = setTimeout(() => void this.lookUp(q), SEARCH_AFTER_MS);
  }

  /** A snapshot replaced everything: what had been fetched beside the last one is fetched again. */
  async fetchAgain(): Promise<void> {
    for (const one of [...this.fetched]) {
      if ("around" in one) await this.take(`around/${encodeURIComponent(one.around)}`, { limit: one.limit });
      else if ("community" in one) await this.take(`community/${encodeURIComponent(one.community)}`, {});
      else if ("at" in one) await this.at(one.at);
      else await this.findPath(one.source, one.target);
    }
  }

  /** Another memory is looked at. */
  clear(): void {
    this.fetched = [];
    this.search("");
    this.closePath();
    this.failure.value = null;
  }

  private keep(wanted: Fetched): void {
    const key = JSON.stringify(wanted);
    // Of looking back only the last moment counts.
    const others = this.fetched.filter((one) => JSON.stringify(one) !== key && !("at" in one && "at" in wanted));
    this.fetched = [...others, wanted];
  }

  private async lookUp(q: string): Promise<void> {
    const mine = (this.pending = new AbortController());
    try {
      const { tenant } = this.host;
      const path = `explore/search${asked({ q, user: this.host.user(), limit: HITS_MAX })}`;
      const found = await askService<GraphPart>(path, tenant, mine.signal);
      if (!mine.signal.aborted) this.farHits.value = found.nodes;
    } catch {
      // What the page holds is still found; the status bar says when the service is away.
      if (!mine.signal.aborted) this.farHits.value = [];
    } finally {
      if (!mine.signal.aborted) this.searching.value = false;
    }
  }

  private async take(path: string, values: Record<string, string | number>): Promise<{ part: GraphPart; ids: string[] } | null> {
    const part = await this.fetch(path, values);
    return part && { part, ids: this.host.store.takePart(part) };
  }

  private async fetch(path: string, values: Record<string, string | number>): Promise<GraphPart | null> {
    const user = this.host.user();
    this.busy.value += 1;
    try {
      const part = await askService<GraphPart>(`explore/${path}${asked({ ...values, user })}`, this.host.tenant);
      this.failure.value = null;
      return user === this.host.user() ? part : null;
    } catch (error) {
      this.failure.value = error instanceof Error ? error.message : String(error);
      return null;
    } finally {
      this.busy.value -= 1;
    }
  }
}
