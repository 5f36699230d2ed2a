/** Fetch what the page does not have: neighbours, paths, and search hits in the whole memory. */

import { type Ref, ref, shallowRef } from "vue";
import type { GraphStore } from "../graph/store";
import { askGraphql, askService, queryString, type Trouble, troubleOf } from "../live/requests";
import { Throttle } from "../map/throttle";
import type { GraphNode } from "../protocol/frames";
import type { GraphPart, GraphSnapshot, SaidHit } from "../protocol/generated";
import type { Moments } from "./moments";
import type { Trail } from "./trail";

/** Shortest time between two searches of the whole memory while the user types. */
export const SEARCH_EVERY_MS = 90;
const HITS_MAX = 100;
const MEANT_MAX = 12;
/** Share of the best score below which a hit is noise: hits of one topic score alike, unrelated ones about half. */
const RELEVANT_SHARE = 0.65;
const MEANT_AFTER_MS = 200;
/** Nobody searches if the page has been open, and the words have stayed, for so long. */
const IDLE_AFTER_MS = 5_000;
/** Shorter queries have no meaning to search by. */
const MEANT_FROM = 3;
export const AROUND = 40;

/** Requests whose results are not in snapshots; repeated after the next one. */
type Fetched = { around: string; limit: number } | { source: string; target: string } | { community: string; limit: number } | { at: Moments } | { whole: number };

/** A message, fact or scene that the service recalls for a query. */
export interface MeantHit {
  kind: "MESSAGE" | "FACT" | "SCENE";
  id: string;
  score: number;
  text: string;
  /** The part of a message that matches best. */
  snippet: string;
  title: string | null;
  saidAt: string;
  speaker: string | null;
  role: string | null;
  /** Of a message that is read. */
  sceneId: string | null;
}

interface Recalled {
  nothingRelevant: boolean;
  hits: MeantHit[];
}

/** Search by meaning of the memories of several people. */
export interface MeaningSearch {
  query: string;
  users: readonly string[];
  /** How many of them were asked. */
  asked: number;
}

const NOBODY: MeaningSearch = { query: "", users: [], asked: 0 };

/** A search of the person at this page is not a question of an agent, which the panel Now shows. */
const RECALL = `query($userId: String!, $query: String!, $limit: Int!) {
  recall(userId: $userId, query: $query, limit: $limit, watched: false) { nothingRelevant hits { kind id score text snippet title saidAt speaker role sceneId } }
}`;
/** People whose memories are searched by meaning at a time, and before the user is asked whether to go on. */
const MEANT_AT_ONCE = 3;
export const MEANT_PEOPLE = 30;
const HAN = /[\u3400-\u9FFF]/;

export interface ExploreHost {
  tenant: string;
  store: GraphStore;
  user(): string | null;
  /** Ids of the users of the shown memories. */
  people(): string[];
}

export class Explore {
  /** Hits of the service for the search box that the page does not have. */
  readonly farHits: Ref<GraphNode[]> = shallowRef([]);
  /** Messages in which the words were said. */
  readonly said: Ref<readonly SaidHit[]> = shallowRef([]);
  /** What the service recalls for the query, by meaning. */
  readonly meant: Ref<(MeantHit & { user: string })[]> = shallowRef([]);
  readonly meaning: Ref<MeaningSearch> = shallowRef(NOBODY);
  readonly searching = ref(false);
  /** The search by meaning, which takes longer, has not answered. */
  readonly recalling = ref(false);
  /** Why the search of the whole memory, or that by meaning, did not answer. */
  readonly searchFailure: Ref<Trouble | null> = shallowRef(null);
  readonly trail: Ref<Trail | null> = shallowRef(null);
  /** One end of a path, while the other is being chosen. */
  readonly pathFrom: Ref<string | null> = ref(null);
  readonly busy = ref(0);
  readonly failure: Ref<Trouble | null> = shallowRef(null);
  private fetched: Fetched[] = [];
  private meaningTimer: ReturnType<typeof setTimeout> | undefined;
  /** The words of the search box. */
  private sought = "";
  private soughtMs = performance.now();
  private readonly pace = new Throttle(() => void this.lookUp(this.sought), SEARCH_EVERY_MS);
  private pending: AbortController | null = null;
  /** What each person's memory recalled for the query. */
  private answers: { user: string; found: Recalled }[] = [];

  constructor(private readonly host: ExploreHost) {}

  /** @returns the ids that arrived; null if the service did not respond. */
  async around(id: string, limit = AROUND): Promise<string[] | null> {
    this.keep({ around: id, limit });
    return (await this.take(`around/${encodeURIComponent(id)}`, { limit }))?.ids ?? null;
  }

  /** Fetch the members of a community; pass them to `mergePart` once their community is recorded. */
  community(id: string, limit: number): Promise<GraphPart | null> {
    this.keep({ community: id, limit });
    return this.fetch(`community/${encodeURIComponent(id)}`, { limit });
  }

  mergePart(part: GraphPart): void {
    this.host.store.takePart(part);
  }

  /** Fetch a whole memory that is small enough to be shown as one graph. */
  async whole(budget: number): Promise<void> {
    this.keep({ whole: budget });
    const user = this.host.user();
    try {
      const { epoch, seq, total, nodes, edges } = await askService<GraphSnapshot>(`snapshot${queryString({ user, budget })}`, this.host.tenant);
      if (user === this.host.user()) this.mergePart({ t: "graph_part", epoch, seq, total: total.nodes, nodes, edges, paths: [], said: [] });
    } catch (error) {
      this.failure.value = troubleOf(error);
    }
  }

  /** Fetch the most significant part of another time. */
  async at(moments: Moments): Promise<void> {
    const values = { valid_at: moments.validAt ?? "", as_of: moments.asOf ?? "" };
    this.keep({ at: moments });
    await this.take("at", values);
  }

  /** Highlight the best path between two nodes. */
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

  /** Search by the words: at once when the user types slowly or pauses, and at most every `SEARCH_EVERY_MS`. */
  search(query: string): void {
    this.pending?.abort();
    const q = (this.sought = query.trim());
    this.soughtMs = performance.now();
    clearTimeout(this.meaningTimer);
    this.searching.value = q !== "";
    this.searchFailure.value = null;
    if (q === "") {
      this.pace.stop();
      this.farHits.value = [];
      this.said.value = [];
      this.meant.value = [];
      this.meaning.value = NOBODY;
      this.recalling.value = false;
      return;
    }
    this.pace.ask();
    this.recalling.value = Array.from(q).length >= MEANT_FROM || HAN.test(q);
    if (this.recalling.value) this.meaningTimer = setTimeout(() => void this.recall(q), MEANT_AFTER_MS);
  }

  /** Return whether nobody is searching: the words have stayed for a while, and everything has answered. */
  isIdle(): boolean {
    return !this.searching.value && !this.recalling.value && performance.now() - this.soughtMs >= IDLE_AFTER_MS;
  }

  /** After a new snapshot, repeat the requests whose results it replaced. */
  async fetchAgain(): Promise<void> {
    for (const one of [...this.fetched]) {
      if ("around" in one) await this.take(`around/${encodeURIComponent(one.around)}`, { limit: one.limit });
      else if ("community" in one) await this.take(`community/${encodeURIComponent(one.community)}`, { limit: one.limit });
      else if ("at" in one) await this.at(one.at);
      else if ("whole" in one) await this.whole(one.whole);
      else await this.findPath(one.source, one.target);
    }
  }

  /** Reset for another memory. */
  clear(): void {
    this.fetched = [];
    this.search("");
    this.closePath();
    this.failure.value = null;
  }

  private keep(request: Fetched): void {
    const key = JSON.stringify(request);
    // While the time changes, only the last request counts.
    const others = this.fetched.filter((one) => JSON.stringify(one) !== key && !("at" in one && "at" in request));
    this.fetched = [...others, request];
  }

  private async lookUp(q: string): Promise<void> {
    const mine = (this.pending = new AbortController());
    try {
      const { tenant } = this.host;
      const path = `explore/search${queryString({ q, user: this.host.user(), limit: HITS_MAX })}`;
      const found = await askService<GraphPart>(path, tenant, mine.signal);
      if (mine.signal.aborted) return;
      this.farHits.value = found.nodes;
      this.said.value = found.said ?? [];
    } catch (error) {
      // Hits on the page remain.
      if (mine.signal.aborted) return;
      this.farHits.value = [];
      this.said.value = [];
      this.searchFailure.value = troubleOf(error);
    } finally {
      if (!mine.signal.aborted) this.searching.value = false;
    }
  }

  /** Search by meaning, as an agent's question does. */
  private async recall(query: string): Promise<void> {
    const user = this.host.user();
    this.answers = [];
    this.meaning.value = { query, users: user === null ? this.host.people() : [user], asked: 0 };
    await this.recallFurther();
  }

  /** Search the memories of the next `MEANT_PEOPLE`, a few at a time, since each takes about as long as an agent's question. */
  async recallFurther(): Promise<void> {
    const mine = this.pending;
    const { query, users, asked } = this.meaning.value;
    const some = users.slice(asked, asked + MEANT_PEOPLE);
    this.recalling.value = true;
    for (let at = 0; at < some.length; at += MEANT_AT_ONCE) {
      const few = some.slice(at, at + MEANT_AT_ONCE);
      const found = await Promise.allSettled(few.map((userId) => askGraphql<{ recall: Recalled }>(RECALL, { userId, query, limit: MEANT_MAX }, this.host.tenant, mine?.signal)));
      if (mine !== this.pending || mine?.signal.aborted) return;
      for (const [index, one] of found.entries()) {
        if (one.status === "fulfilled") this.answers.push({ user: few[index] as string, found: one.value.recall });
        else this.searchFailure.value ??= troubleOf(one.reason);
      }
      this.meaning.value = { query, users, asked: asked + at + few.length };
      this.meant.value = bestOf(this.answers);
    }
    this.recalling.value = false;
  }

  private async take(path: string, values: Record<string, string | number>): Promise<{ part: GraphPart; ids: string[] } | null> {
    const part = await this.fetch(path, values);
    return part && { part, ids: this.host.store.takePart(part) };
  }

  private async fetch(path: string, values: Record<string, string | number>): Promise<GraphPart | null> {
    const user = this.host.user();
    this.busy.value += 1;
    try {
      const part = await askService<GraphPart>(`explore/${path}${queryString({ ...values, user })}`, this.host.tenant);
      this.failure.value = null;
      return user === this.host.user() ? part : null;
    } catch (error) {
      this.failure.value = troubleOf(error);
      return null;
    } finally {
      this.busy.value -= 1;
    }
  }
}

/** Return the best hits of the memories that have an answer; those of others are noise, and so is what follows a drop of relevance. */
function bestOf(answers: readonly { user: string; found: Recalled }[]): (MeantHit & { user: string })[] {
  const hits = answers.filter(({ found }) => !found.nothingRelevant).flatMap(({ user, found }) => found.hits.map((hit) => ({ ...hit, user })));
  const least = RELEVANT_SHARE * Math.max(...hits.map(({ score }) => score));
  return hits.filter(({ score }) => score >= least).sort((a, b) => b.score - a.score).slice(0, MEANT_MAX);
}
