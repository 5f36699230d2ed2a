/** Changes as lines of text: the latest of each element, with its day. Pure. */

import { factSentence, neverHeld } from "../graph/facts";
import type { Words } from "../i18n/words";
import type { GraphEdge } from "../protocol/frames";
import type { ChangeLine, RecentChanges } from "../protocol/generated";

export type Sort = "learned" | "again" | "stronger" | "weaker" | "over" | "never" | "scene" | "thing";

export interface FeedLine {
  seq: number;
  id: string;
  at: string;
  sort: Sort;
  text: string;
  kind: string | null;
  predicate: string | null;
  /** Strength before and after, if it changed. */
  from: number | null;
  to: number | null;
}

export function feedLines(recent: Pick<RecentChanges, "changes" | "labels">, words: Words): FeedLine[] {
  const seen = new Set<string>();
  const lines: FeedLine[] = [];
  for (const change of recent.changes) {
    if (seen.has(change.element_id)) continue;
    const line = change.edge ? factLine(change, change.edge, recent.labels, words) : change.node ? thingLine(change) : null;
    if (line === null) continue;
    seen.add(change.element_id);
    lines.push(line);
  }
  return lines;
}

function factLine(change: ChangeLine, edge: GraphEdge, labels: Record<string, string>, words: Words): FeedLine | null {
  if (edge.predicate === "MENTIONED") return null;
  const was = edge.previous?.strength;
  const sort: Sort = neverHeld(edge) ? "never" : edge.invalid_at ? "over" : was !== undefined && was !== edge.strength ? (edge.strength > was ? "stronger" : "weaker") : edge.evidence_n > 1 ? "again" : "learned";
  const text = factSentence(edge, (id) => labels[id], words);
  const shift = sort === "stronger" || sort === "weaker";
  return { seq: change.seq, id: edge.id, at: change.at, sort, text, kind: null, predicate: edge.predicate, from: shift ? (was ?? null) : null, to: shift ? edge.strength : null };
}

function thingLine(change: ChangeLine): FeedLine | null {
  const node = change.node;
  if (!node) return null;
  return { seq: change.seq, id: node.id, at: change.at, sort: node.kind === "Scene" ? "scene" : "thing", text: node.label, kind: node.kind, predicate: null, from: null, to: null };
}

export interface Day {
  day: string;
  lines: FeedLine[];
}

export function byDay(lines: readonly FeedLine[], words: Words): Day[] {
  const days: Day[] = [];
  for (const line of lines) {
    const day = words.date(line.at);
    const last = days.at(-1);
    if (last?.day === day) last.lines.push(line);
    else days.push({ day, lines: [line] });
  }
  return days;
}
