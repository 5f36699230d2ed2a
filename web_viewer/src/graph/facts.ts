/** Facts as sentences and in groups, and the edges of a node. */

import type { Words } from "../i18n/words";
import type { GraphEdge } from "../protocol/frames";
import { PREDICATES } from "../protocol/vocabulary";
import type { GraphState } from "./reduce";

/** Return the fact's own relation ("works at"), or else the name of its predicate. */
export function linkWords(edge: Pick<GraphEdge, "relation" | "predicate">, words: Words): string {
  return edge.relation ? words.relation(edge.relation) : words.predicate(edge.predicate);
}

/** Return the fact as a sentence: its statement, or else one formed from the names. */
export function factSentence(edge: Sentence, nameOf: (id: string) => string | undefined, words: Words): string {
  if (edge.statement) return edge.statement;
  return words.sentence(nameOf(edge.source) ?? "…", edge, nameOf(edge.target) ?? "…");
}

type Sentence = Pick<GraphEdge, "source" | "target" | "predicate" | "relation" | "statement">;

export function isClosed(edge: Pick<GraphEdge, "invalid_at">): boolean {
  return edge.invalid_at !== null && edge.invalid_at !== undefined;
}

type Period = Pick<GraphEdge, "valid_at" | "invalid_at"> & Partial<Pick<GraphEdge, "known_at" | "closing_known_at">>;

function endsAtStart({ valid_at: start, invalid_at: end }: Period): boolean {
  return !!end && (!start || Date.parse(end) <= Date.parse(start));
}

/** Return whether a fact was past when it was first told ("I used to play the cello"): it held, but since when is unknown. */
export function toldAsPast(edge: Period): boolean {
  const { known_at: known, closing_known_at: endKnown } = edge;
  return endsAtStart(edge) && !!known && !!endKnown && Date.parse(known) === Date.parse(endKnown);
}

/** Return whether a fact ends where it starts: it was rejected, or is part of another one, so it never held by itself. */
export function neverHeld(edge: Period): boolean {
  return endsAtStart(edge) && !toldAsPast(edge);
}

/** Return whether the statement of a fact is struck through; that of one which was told as past says so itself. */
export function isStruck(edge: Period): boolean {
  return isClosed(edge) && !toldAsPast(edge);
}

/** Return the key of the words for the standing of a closed fact. */
export function closedWords(edge: Period): "panel.never" | "panel.past" | "panel.closed" {
  return neverHeld(edge) ? "panel.never" : toldAsPast(edge) ? "panel.past" : "panel.closed";
}

/** Sort valid facts first, then by strength; the id makes the order stable. */
export function byStanding(a: GraphEdge, b: GraphEdge): number {
  return Number(isClosed(a)) - Number(isClosed(b)) || b.strength - a.strength || (a.id < b.id ? -1 : 1);
}

/** Facts first, then what only scenes have, each in the order of the vocabulary. */
export const PREDICATE_ORDER = Object.entries(PREDICATES)
  .sort(([, a], [, b]) => Number(b.fact) - Number(a.fact))
  .map(([name]) => name);

/** Sort unknown predicates after the known ones. */
export function inPredicateOrder(a: string, b: string): number {
  const rank = (name: string): number => (PREDICATE_ORDER.indexOf(name) + 1 || 99);
  return rank(a) - rank(b) || (a < b ? -1 : Number(a > b));
}

export interface LinkGroup {
  predicate: string;
  backwards: boolean;
  edges: GraphEdge[];
}

/** Return the edges of one node, grouped by predicate and direction. */
export function linksOf(id: string, edges: Iterable<GraphEdge>): LinkGroup[] {
  const groups = new Map<string, LinkGroup>();
  for (const edge of edges) {
    if (edge.source !== id && edge.target !== id) continue;
    const backwards = edge.source !== id;
    const key = `${edge.predicate} ${backwards}`;
    const group = groups.get(key) ?? { predicate: edge.predicate, backwards, edges: [] };
    group.edges.push(edge);
    groups.set(key, group);
  }
  const sorted = [...groups.values()].sort((a, b) => inPredicateOrder(a.predicate, b.predicate) || Number(a.backwards) - Number(b.backwards));
  for (const group of sorted) group.edges.sort(byStanding);
  return sorted;
}

/** Return the latest valid fact, or null. */
export function latestFact(state: Pick<GraphState, "edges">): GraphEdge | null {
  let latest: GraphEdge | null = null;
  for (const edge of state.edges.values()) {
    if (edge.predicate === "MENTIONED" || isClosed(edge)) continue;
    if (latest === null || edge.last_seen > latest.last_seen) latest = edge;
  }
  return latest;
}
