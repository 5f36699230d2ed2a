/** Store the current graph, notify listeners of changes, and track unseen elements. */

import type { GraphFrame } from "../protocol/frames";
import type { GraphPart } from "../protocol/generated";
import { applyFrame, applyPart, EMPTY_STATE, type GraphState, type Touched } from "./reduce";

const LATELY_MAX = 4_000;
/** What returns so soon after its removal was read again, and is not new: ids follow from the contents. */
const READ_AGAIN_MS = 60_000;

export type GraphListener = (state: GraphState, touched: Touched) => void;

export class GraphStore {
  state: GraphState = EMPTY_STATE;
  /** Ids that arrived with patches and have not been looked at. */
  private readonly unseen = new Set<string>();
  private readonly listeners = new Set<GraphListener>();
  /** The next snapshot is the first one of its scope, so none of its elements count as new. */
  private fresh = true;
  /** Sequence number of the last change of each recently changed id, oldest first. */
  private readonly lately = new Map<string, number>();
  /** When elements were removed, oldest first. */
  private readonly gone = new Map<string, number>();

  /** @returns why a snapshot must be requested, or null. */
  take(frame: GraphFrame): string | null {
    const before = this.state;
    const step = applyFrame(before, frame);
    this.state = step.state;
    if (step.touched) {
      this.remember(step.touched, before);
      for (const listener of this.listeners) listener(this.state, step.touched);
    }
    return step.resync;
  }

  /** @returns the ids that were unknown; none if the part has another epoch. */
  takePart(part: GraphPart): string[] {
    const before = this.state;
    const later = new Set([...this.lately].filter(([, seq]) => seq > part.seq).map(([id]) => id));
    this.state = applyPart(before, part, later);
    if (this.state === before) return [];
    for (const listener of this.listeners) listener(this.state, { whole: false, added: [], changed: [], removed: [] });
    const all = [...part.nodes, ...part.edges].map((item) => item.id);
    return all.filter((id) => !before.nodes.has(id) && !before.edges.has(id) && (this.state.nodes.has(id) || this.state.edges.has(id)));
  }

  listen(listener: GraphListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Call before requesting another user's memory. */
  changeScope(): void {
    this.fresh = true;
    this.unseen.clear();
    this.gone.clear();
  }

  /** Mark the state as current, as the service confirmed. @returns whether it was marked stale. */
  settle(): boolean {
    if (!this.state.stale) return false;
    this.state = { ...this.state, stale: false };
    return true;
  }

  /** Drop everything: the next viewer may not see it. */
  reset(): void {
    this.state = EMPTY_STATE;
    this.lately.clear();
    this.changeScope();
  }

  get newIds(): ReadonlySet<string> {
    return this.unseen;
  }

  /** @returns whether any of the ids was marked as new. */
  look(ids: Iterable<string>): boolean {
    let any = false;
    for (const id of ids) any = this.unseen.delete(id) || any;
    return any;
  }

  private remember(touched: Touched, before: GraphState): void {
    const now = performance.now();
    const back = touched.whole ? [] : touched.added.filter((id) => now - (this.gone.get(id) ?? -Infinity) < READ_AGAIN_MS);
    if (back.length > 0) {
      touched.added = touched.added.filter((id) => !back.includes(id));
      touched.changed.push(...back);
    }
    for (const id of touched.removed) {
      this.unseen.delete(id);
      this.gone.delete(id);
      this.gone.set(id, now);
    }
    for (const [id, at] of this.gone) {
      if (this.gone.size <= LATELY_MAX && now - at < READ_AGAIN_MS) break;
      this.gone.delete(id);
    }
    this.note(touched);
    const news = !(touched.whole && (this.fresh || before.epoch !== this.state.epoch));
    if (touched.whole) this.fresh = false;
    if (news) for (const id of touched.added) this.unseen.add(id);
    else touched.added.length = 0;
  }

  private note(touched: Touched): void {
    if (touched.whole) this.lately.clear();
    else
      for (const id of [...touched.added, ...touched.changed, ...touched.removed]) {
        this.lately.delete(id);
        this.lately.set(id, this.state.seq);
      }
    for (const id of this.lately.keys()) {
      if (this.lately.size <= LATELY_MAX) return;
      this.lately.delete(id);
    }
  }
}
