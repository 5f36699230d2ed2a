/** What the browser keeps of one map for when the service is gone: when it may be shown, to whom, and for how long. */

import type { GraphState } from "../graph/reduce";
import type { Count, GraphEdge, GraphNode, GraphSnapshot } from "../protocol/frames";

export const COPY_FORM = 1;
/** Older than this a copy tells too little of what is known now, and may tell what was forgotten since. */
export const KEPT_MS = 30 * 86_400_000;
const ELEMENTS_MAX = 12_000;

/** For whom a copy was made; a holder of null while the service is open to all. */
export interface Holder {
  holder: string | null;
  /** When the access ends, in ms since 1970. */
  untilMs: number | null;
}

export interface MapCopy extends Holder {
  form: number;
  tenant: string;
  user: string | null;
  savedMs: number;
  asOf: string;
  epoch: string;
  seq: number;
  total: Count;
  nodes: GraphNode[];
  edges: GraphEdge[];
}

export function copyKey(tenant: string, user: string | null): string {
  return JSON.stringify([tenant, user]);
}

/** @returns null where there is nothing worth keeping. */
export function copyOf(state: GraphState, scope: { tenant: string; user: string | null }, holder: Holder, nowMs: number): MapCopy | null {
  const size = state.nodes.size + state.edges.size;
  if (state.epoch === null || state.stale || size === 0 || size > ELEMENTS_MAX) return null;
  return {
    form: COPY_FORM,
    ...scope,
    ...holder,
    savedMs: nowMs,
    asOf: new Date(nowMs).toISOString(),
    epoch: state.epoch,
    seq: state.seq,
    total: state.total,
    nodes: [...state.nodes.values()],
    edges: [...state.edges.values(), ...state.waiting.values()],
  };
}

export function mayShow(copy: MapCopy, nowMs: number): boolean {
  if (copy.form !== COPY_FORM || nowMs - copy.savedMs > KEPT_MS) return false;
  return copy.untilMs === null || nowMs < copy.untilMs;
}

/** Whether a copy may stay in a browser that this holder uses now. */
export function belongsTo(copy: MapCopy, holder: string | null, nowMs: number): boolean {
  return copy.holder === holder && mayShow(copy, nowMs);
}

/** The copy as the service would have sent it, marked as old. */
export function frameOf(copy: MapCopy): GraphSnapshot {
  const { epoch, seq, total, nodes, edges } = copy;
  const shown = { nodes: nodes.length, edges: edges.length };
  return { t: "graph_snapshot", epoch, seq, part: 0, parts: 1, as_of: copy.asOf, stale: true, shown, total, nodes, edges };
}
