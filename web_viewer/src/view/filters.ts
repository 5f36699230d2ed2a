/** Filters: which part of the graph is shown, with counts of each kind. */

import { isClosed, neverHeld } from "../graph/facts";
import { GROUP_ORDER, groupAt } from "../graph/groups";
import type { GraphState } from "../graph/reduce";
import type { GraphEdge, GraphNode } from "../protocol/frames";
import type { MapTotals } from "../protocol/generated";
import { factAt, isNow, type Moments, NOW, thingAt } from "./moments";
import { exampleOf } from "./totals";

/** Hidden kinds, predicates and groups of facts; `past` hides closed facts. */
export type Hidden = ReadonlySet<string>;

export const PAST = "past";
/** Hides facts that are sure, so that only unsure ones are left. */
export const SURE = "sure facts";
/** Hides facts that contradict no other one. */
export const AGREEING = "agreeing facts";
/** Facts of lower confidence are unsure. */
export const UNSURE_BELOW = 0.5;
/** Prefix of the names of groups of facts, which may equal other names. */
export const ABOUT = "about:";

const NONE: ReadonlyMap<string, string> = new Map();

export interface Filter {
  hidden: Hidden;
  /** Minimum confidence of shown facts, 0 to 1. */
  confidence?: number;
  moments?: Moments;
  /** Nodes that the user hid. */
  veiled?: ReadonlySet<string>;
  /** Centre of an ego view, which shows its neighbours and the edges between them. */
  ego?: string | null;
  /** Facts that contradict each other, as the service says, each with the other. */
  conflicts?: ReadonlyMap<string, string>;
}

/** Most steps of the choice of a minimum confidence. */
const LEVELS_MAX = 8;

/** Return the minimum confidences worth choosing, ascending from 0: each hides at least one more fact than the one before. */
export function confidenceLevels(edges: Iterable<GraphEdge>): number[] {
  const found = new Set<number>();
  for (const edge of edges) if (edge.predicate !== "MENTIONED" && !neverHeld(edge)) found.add(Math.round(edge.confidence * 100) / 100);
  const levels = [...found].sort((a, b) => a - b).slice(1);
  const step = Math.max(1, Math.ceil(levels.length / LEVELS_MAX));
  return [0, ...levels.filter((_, index) => (levels.length - 1 - index) % step === 0)];
}

export interface Shown {
  nodes: ReadonlyMap<string, GraphNode>;
  edges: ReadonlyMap<string, GraphEdge>;
}

/**
 * Hide nodes that only hidden edges lead to; users stay unless their kind is hidden.
 *
 * Facts that never held are not shown. Mentions do not keep a node with a minimum confidence, which they do not have, nor
 * where only one topic is shown. The lens of contradictions shows who contradicts whom, and nobody else.
 */
export function shownPart(state: Pick<GraphState, "nodes" | "edges">, filter: Filter): Shown {
  const { hidden, veiled, confidence = 0, moments = NOW } = filter;
  const topic = onlyTopic(state, hidden);
  const sure = confidence > 0 || topic !== null;
  if (isIdle(filter) && ![...state.edges.values()].some(neverHeld)) return state;
  const allowed = egoPart(state, filter.ego ?? null);
  const conflicts = hidden.has(AGREEING) ? (filter.conflicts ?? NONE) : null;
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
    const kept = edge !== null && passes(edge, filter, state.nodes) && (conflicts === null || conflicts.has(edge.id)) && (topic === null || edge.predicate === "MENTIONED" || topic.has(edge.source) || topic.has(edge.target));
    const ends = kept && !(sure && edge.predicate === "MENTIONED") ? tied : cut;
    ends.add(whole.source).add(whole.target);
    if (kept && nodes.has(edge.source) && nodes.has(edge.target)) edges.set(edge.id, edge);
  }
  if (conflicts !== null) {
    for (const id of nodes.keys()) if (!tied.has(id)) nodes.delete(id);
    return { nodes, edges };
  }
  for (const [id, node] of nodes) {
    if (cut.has(id) && !tied.has(id) && node.kind !== "User" && !(sure && node.kind === "Scene") && id !== filter.ego) nodes.delete(id);
  }
  if (sure) dropBareScenes(nodes, edges);
  return { nodes, edges };
}

/** Return the things of the only topic that is not hidden, whose facts are shown; null if there are more topics, or none is hidden. */
function onlyTopic({ nodes, edges }: Pick<GraphState, "nodes" | "edges">, hidden: Hidden): ReadonlySet<string> | null {
  if (!GROUP_ORDER.some((one) => hidden.has(ABOUT + one))) return null;
  const topics = new Set<string>();
  const things = new Set<string>();
  for (const edge of edges.values()) {
    // The legend does not list a group of ended facts alone, which nobody can hide.
    const topic = isClosed(edge) ? null : groupAt(edge, nodes);
    if (topic === null || hidden.has(ABOUT + topic)) continue;
    topics.add(topic);
    things.add(nodes.get(edge.target)?.kind === "User" ? edge.source : edge.target);
  }
  return topics.size === 1 ? things : null;
}

/** Remove scenes that mention nothing shown except users, then edges without both ends. */
function dropBareScenes(nodes: Map<string, GraphNode>, edges: Map<string, GraphEdge>): void {
  const telling = new Set<string>();
  for (const { source, target, predicate } of edges.values()) {
    if (predicate === "MENTIONED" && (nodes.get(target)?.kind ?? "User") !== "User") telling.add(source);
  }
  for (const [id, node] of nodes) if (node.kind === "Scene" && !telling.has(id)) nodes.delete(id);
  for (const [id, edge] of edges) if (!nodes.has(edge.source) || !nodes.has(edge.target)) edges.delete(id);
}

/** What hides an element: the focus on another one, the user, the times, the minimum confidence, or the legend. */
export type Hiding = "ego" | "veiled" | "moments" | "confidence" | "hidden";

/** Return the filter with as little dropped as shows the element, and what was dropped; null if no filter hides it. */
export function revealing(state: Pick<GraphState, "nodes" | "edges">, filter: Filter, id: string): { filter: Filter; dropped: Hiding[] } | null {
  const open: Filter = { ego: null, veiled: new Set(), moments: NOW, confidence: 0, hidden: new Set() };
  const isShown = (one: Filter): boolean => {
    const part = shownPart(state, one);
    return part.nodes.has(id) || part.edges.has(id);
  };
  if (isShown(filter) || !isShown(open)) return null;
  let found: Filter = filter;
  const dropped: Hiding[] = [];
  for (const hiding of ["ego", "veiled", "moments", "confidence", "hidden"] as const) {
    if (isShown(found)) break;
    const rest = hiding === "veiled" ? new Set([...(found.veiled ?? [])].filter((one) => one !== id)) : open[hiding];
    found = { ...found, [hiding]: rest };
    dropped.push(hiding);
  }
  // Keep whatever turned out not to hide it.
  const needed = dropped.filter((hiding) => {
    const kept = { ...found, [hiding]: filter[hiding] };
    if (!isShown(kept)) return true;
    found = kept;
    return false;
  });
  return { filter: found, dropped: needed };
}

function isIdle(filter: Filter): boolean {
  const { hidden, confidence = 0, moments = NOW, veiled, ego = null } = filter;
  return hidden.size === 0 && confidence === 0 && isNow(moments) && !veiled?.size && ego === null;
}

function passes(edge: GraphEdge, filter: Filter, nodes: GraphState["nodes"]): boolean {
  const { hidden, confidence = 0 } = filter;
  if (neverHeld(edge) || hidden.has(edge.predicate) || (hidden.has(PAST) && isClosed(edge))) return false;
  if (hidden.has(SURE) && !isUnsure(edge)) return false;
  // Mentions have no confidence.
  if (edge.confidence < confidence && edge.predicate !== "MENTIONED") return false;
  const group = groupAt(edge, nodes);
  return group === null || !hidden.has(ABOUT + group);
}

export function isUnsure(edge: GraphEdge): boolean {
  return edge.predicate !== "MENTIONED" && !isClosed(edge) && edge.confidence < UNSURE_BELOW;
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

/** Count as `countBy` does, by what the service says of the whole memory. */
export function countTotals(totals: MapTotals): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const add = (name: string, n: number): void => void counts.set(name, (counts.get(name) ?? 0) + n);
  for (const kinds of Object.values(totals.nodes)) for (const [kind, n] of Object.entries(kinds)) add(kind, n);
  for (const count of totals.facts) {
    add(count.predicate, count.n);
    const { edge, nodes } = exampleOf(count);
    const group = count.subject === "" ? null : groupAt(edge, nodes);
    if (group !== null) add(ABOUT + group, count.n);
  }
  return counts.set(PAST, totals.past).set(SURE, totals.unsure);
}

/** Count nodes by kind, and facts by predicate and group; ended facts count as `PAST` only, and those that never held not at all. */
export function countBy(state: Pick<GraphState, "nodes" | "edges">, contradicting: ReadonlyMap<string, string> = NONE): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const add = (name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1);
  for (const node of state.nodes.values()) add(node.kind);
  // Each is counted once, if the page has both of its facts.
  const conflicts = [...contradicting].filter(([id, other]) => id < other && state.edges.has(id) && state.edges.has(other)).length;
  if (conflicts > 0) counts.set(AGREEING, conflicts);
  for (const edge of state.edges.values()) {
    if (neverHeld(edge)) continue;
    if (isClosed(edge)) {
      add(PAST);
      continue;
    }
    add(edge.predicate);
    if (isUnsure(edge)) add(SURE);
    const group = groupAt(edge, state.nodes);
    if (group !== null) add(ABOUT + group);
  }
  return counts;
}
