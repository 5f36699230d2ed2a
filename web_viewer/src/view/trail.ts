/** A path between two nodes: its elements, and its sentence. */

import { linkWords } from "../graph/facts";
import type { Words } from "../i18n/words";
import type { GraphEdge, GraphNode } from "../protocol/frames";

export interface Trail {
  source: string;
  target: string;
  /** Node ids from one end to the other, best path first; empty if there is none. */
  paths: string[][];
  /** Index of the highlighted path. */
  at: number;
}

/** Return the ids of nodes and facts on the highlighted path; null without a path, so that nothing is dimmed. */
export function onTrail(trail: Trail, edges: Iterable<GraphEdge>): ReadonlySet<string> | null {
  const path = trail.paths[trail.at];
  if (path === undefined) return null;
  const ids = new Set(path);
  const steps = new Set(path.slice(1).map((id, index) => pair(path[index] as string, id)));
  for (const edge of edges) if (steps.has(pair(edge.source, edge.target))) ids.add(edge.id);
  return ids;
}

/** Return why no path leads from one end to the other: memories of different users have nothing in common. */
export function whyNoPath(trail: Trail, nodes: ReadonlyMap<string, GraphNode>): "path.apart" | "path.none" {
  const [source, target] = [nodes.get(trail.source), nodes.get(trail.target)];
  return source !== undefined && target !== undefined && source.user_id !== target.user_id ? "path.apart" : "path.none";
}

export interface TrailStep {
  from: string;
  to: string;
  /** The strongest fact between the two. */
  edge: GraphEdge;
  words: string;
  backwards: boolean;
}

export function trailSteps(path: readonly string[], nodes: ReadonlyMap<string, GraphNode>, edges: Iterable<GraphEdge>, words: Words): TrailStep[] {
  const best = new Map<string, GraphEdge>();
  for (const edge of edges) {
    const key = pair(edge.source, edge.target);
    const known = best.get(key);
    if (!known || rank(edge) > rank(known)) best.set(key, edge);
  }
  return path.slice(1).flatMap((id, index) => {
    const from = path[index] as string;
    const edge = best.get(pair(from, id));
    if (!edge) return [];
    const backwards = edge.source !== from;
    const spoken = backwards && !edge.relation ? words.backwards(edge.predicate) : linkWords(edge, words);
    return [{ from: nodes.get(from)?.label ?? "…", to: nodes.get(id)?.label ?? "…", edge, words: spoken, backwards }];
  });
}

function rank(edge: GraphEdge): number {
  return (edge.predicate === "MENTIONED" ? 0 : edge.invalid_at === null ? 2 : 1) + edge.strength;
}

function pair(a: string, b: string): string {
  return a < b ? `${a} ${b}` : `${b} ${a}`;
}
