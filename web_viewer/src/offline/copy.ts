/** The stored copy of a map, and the rules for when and to whom it may be shown. */

import type { GraphState } from "../graph/reduce";
import type { Places } from "../protocol/generated";
import type { Count, GraphEdge, GraphNode, GraphSnapshot } from "../protocol/frames";

export const COPY_FORM = 2;
/** Maximum age of a copy; an older one may contain data that was deleted since. */
export const KEPT_MS = 30 * 86_400_000;
const ELEMENTS_MAX = 12_000;

/** The owner of a copy; a holder of null means that the service required no credential. */
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
  places: Places["places"];
}

export function copyKey(tenant: string, user: string | null): string {
  return JSON.stringify([tenant, user]);
}

/** @returns null if there is nothing worth storing. */
export function copyOf(state: GraphState, scope: { tenant: string; user: string | null; places: Places["places"] }, holder: Holder, nowMs: number): MapCopy | null {
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

/** Return whether a copy may stay in a browser that this holder now uses. */
export function belongsTo(copy: MapCopy, holder: string | null, nowMs: number): boolean {
  return copy.holder === holder && mayShow(copy, nowMs);
}

/** Return the positions of the copy as a frame. */
export function placesOf({ user, places }: MapCopy): Places {
  return { t: "places", user, seq: 0, whole: true, places };
}

/** Return the copy as a snapshot frame, marked stale. */
export function frameOf(copy: MapCopy): GraphSnapshot {
  const { epoch, seq, total, nodes, edges } = copy;
  const shown = { nodes: nodes.length, edges: edges.length };
  return { t: "graph_snapshot", epoch, seq, part: 0, parts: 1, as_of: copy.asOf, stale: true, shown, total, nodes, edges };
}
