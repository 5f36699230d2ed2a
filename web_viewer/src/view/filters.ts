/** Filters: which part of the graph is shown, with counts of each kind. */

import { isClosed } from "../graph/facts";
import type { GraphState } from "../graph/reduce";
import type { GraphEdge, GraphNode } from "../protocol/frames";
import { factAt, isNow, type Moments, NOW, thingAt } from "./moments";

/** Hidden kinds, predicates and categories; `past` hides closed facts. */
export type Hidden = ReadonlySet<string>;

export const PAST = "past";
/** Prefix of category names, which may equal other names. */
export const CATEGORY = "about:";
export const CATEGORIES = ["personal", "work", "preferences", "relationships", "goals"] as const;

export interface Filter {
  hidden: Hidden;
  /** Minimum confidence of shown facts, 0 to 1. */
  confidence?: number;
  moments?: Moments;
  /** Nodes that the user hid. */
  veiled?: ReadonlySet<string>;
  /** Centre of an ego view, which shows its neighbours and the edges between them. */
  ego?: string | null;
}

export interface Shown {
  nodes: ReadonlyMap<string, GraphNode>;
  edges: ReadonlyMap<string, GraphEdge>;
}

/** Hide nodes that only hidden edges lead to; users stay unless their kind is hidden. */
export function shownPart(state: Pick<GraphState, "nodes" | "edges">, filter: Filter): Shown {
  if (isIdle(filter)) return state;
  const { hidden, veiled, moments = NOW } = filter;
  const allowed = egoPart(state, filter.ego ?? null);
  const nodes = new Map<string, GraphNode>();
  for (const node of state.nodes.values()) {
    if (hidden.has(node.kind) || veiled?.has(node.id) || (allowed && !allowed.has(node.id))) continue;
    if (thingAt(node, moments)) nodes.set(node.id, node);
  }
  const edges = new Map<string, GraphEdge>();
  const tied = new Set<string>();
  const cut = new Set<string>();
  for (const whole of state.edges.values()) {
    const edge = factAt(whole, moments);
    const kept = edge !== null && passes(edge, filter, state.nodes);
    const ends = kept ? tied : cut;
    ends.add(whole.source).add(whole.target);
    if (kept && nodes.has(edge.source) && nodes.has(edge.target)) edges.set(edge.id, edge);
  }
  for (const [id, node] of nodes) {
    if (cut.has(id) && !tied.has(id) && node.kind !== "User" && id !== filter.ego) nodes.delete(id);
  }
  return { nodes, edges };
}

function isIdle(filter: Filter): boolean {
  const { hidden, confidence = 0, moments = NOW, veiled, ego = null } = filter;
  return hidden.size === 0 && confidence === 0 && isNow(moments) && !veiled?.size && ego === null;
}

function passes(edge: GraphEdge, filter: Filter, nodes: GraphState["nodes"]): boolean {
  const { hidden, confidence = 0 } = filter;
  if (hidden.has(edge.predicate) || (hidden.has(PAST) && isClosed(edge))) return false;
  // Mentions have no confidence.
  if (edge.confidence < confidence && edge.predicate !== "MENTIONED") return false;
  const category = categoryOf(edge, nodes);
  return category === null || !hidden.has(CATEGORY + category);
}

/** Only facts about users and agents have a profile category. */
export function categoryOf(edge: GraphEdge, nodes: GraphState["nodes"]): string | null {
  const kind = nodes.get(edge.source)?.kind;
  return kind === "User" || kind === "Agent" ? (edge.category ?? null) : null;
}

function egoPart(state: Pick<GraphState, "nodes" | "edges">, ego: string | null): ReadonlySet<string> | null {
  if (ego === null || !state.nodes.has(ego)) return null;
  const near = new Set([ego]);
  for (const edge of state.edges.values()) {
    if (edge.source === ego) near.add(edge.target);
    if (edge.target === ego) near.add(edge.source);
  }
  return near;
}

/** More elements on one canvas are slow and unreadable. */
export const ELEMENTS_MAX = 2_000;

/**
 * Return what a canvas shows: the first `ELEMENTS_MAX` elements, which are the most significant.
 *
 * @param kept nodes that stay, wherever they are in the order.
 */
export function withinBudget(shown: Shown, kept: ReadonlySet<string>): Shown {
  if (shown.nodes.size + shown.edges.size <= ELEMENTS_MAX) return shown;
  const wanted = [...shown.nodes.values()].filter((node) => kept.has(node.id) || node.kind === "User");
  const nodes = new Map(wanted.map((node) => [node.id, node]));
  const most = Math.max(nodes.size, Math.min(shown.nodes.size, ELEMENTS_MAX / 2, ELEMENTS_MAX - shown.edges.size / 2));
  for (const [id, node] of shown.nodes) if (nodes.size < most) nodes.set(id, node);
  const edges = new Map<string, GraphEdge>();
  for (const [id, edge] of shown.edges) {
    if (nodes.size + edges.size >= ELEMENTS_MAX) break;
    if (nodes.has(edge.source) && nodes.has(edge.target)) edges.set(id, edge);
  }
  return { nodes, edges };
}

export function countBy(state: Pick<GraphState, "nodes" | "edges">): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const add = (name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1);
  for (const node of state.nodes.values()) add(node.kind);
  for (const edge of state.edges.values()) {
    add(edge.predicate);
    if (isClosed(edge)) add(PAST);
    const category = categoryOf(edge, state.nodes);
    if (category !== null) add(CATEGORY + category);
  }
  return counts;
}
