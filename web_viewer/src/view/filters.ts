/** What of the graph is shown, and how many there are of each sort. */

import { isClosed } from "../graph/facts";
import type { GraphState } from "../graph/reduce";
import type { GraphEdge, GraphNode } from "../protocol/frames";

/** Names of hidden kinds and predicates; `past` hides facts that no longer hold. */
export type Hidden = ReadonlySet<string>;

export const PAST = "past";

export interface Shown {
  nodes: ReadonlyMap<string, GraphNode>;
  edges: ReadonlyMap<string, GraphEdge>;
}

/** A thing that only hidden links lead to is hidden with them; users always stay unless their kind is hidden. */
export function shownPart(state: GraphState, hidden: Hidden): Shown {
  if (hidden.size === 0) return state;
  const nodes = new Map<string, GraphNode>();
  for (const node of state.nodes.values()) if (!hidden.has(node.kind)) nodes.set(node.id, node);
  const edges = new Map<string, GraphEdge>();
  const tied = new Set<string>();
  const cut = new Set<string>();
  for (const edge of state.edges.values()) {
    const kept = !hidden.has(edge.predicate) && !(hidden.has(PAST) && isClosed(edge));
    const ends = kept ? tied : cut;
    ends.add(edge.source).add(edge.target);
    if (kept && nodes.has(edge.source) && nodes.has(edge.target)) edges.set(edge.id, edge);
  }
  for (const [id, node] of nodes) {
    if (cut.has(id) && !tied.has(id) && node.kind !== "User") nodes.delete(id);
  }
  return { nodes, edges };
}

export function countBy(state: GraphState): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const add = (name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1);
  for (const node of state.nodes.values()) add(node.kind);
  for (const edge of state.edges.values()) {
    add(edge.predicate);
    if (isClosed(edge)) add(PAST);
  }
  return counts;
}
