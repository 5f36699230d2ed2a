/** Changes as lines of text: the latest of each element, by conversation and day. Pure. */

import { factSentence, neverHeld, toldAsPast } from "../graph/facts";
import type { Words } from "../i18n/words";
import type { GraphEdge } from "../protocol/frames";
import type { ChangeLine, RecentChanges } from "../protocol/generated";

export type Sort = "learned" | "again" | "stronger" | "weaker" | "over" | "past" | "never" | "scene" | "thing";

export interface FeedLine {
  seq: number;
  id: string;
  at: string;
  sort: Sort;
  text: string;
  kind: string | null;
  /** Of a thing. */
  type: string | null;
  predicate: string | null;
  user: string | null;
  /** The conversation that tells it; null for a correction by hand. */
  scene: { id: string; label: string } | null;
  /** Strength before and after, if it changed. */
  from: number | null;
  to: number | null;
}

export function feedLines(recent: Pick<RecentChanges, "changes" | "labels">, words: Words): FeedLine[] {
  const seen = new Set<string>();
  const lines: FeedLine[] = [];
  for (const change of recent.changes) {
    if (seen.has(change.element_id)) continue;
    const line = change.edge ? factLine(change, change.edge, recent.labels, words) : change.node ? thingLine(change, recent.labels) : null;
    if (line === null) continue;
    seen.add(change.element_id);
    lines.push(line);
  }
  return lines;
}

function factLine(change: ChangeLine, edge: GraphEdge, labels: Record<string, string>, words: Words): FeedLine | null {
  if (edge.predicate === "MENTIONED") return null;
  const was = edge.previous?.strength;
  const sort: Sort = neverHeld(edge) ? "never" : toldAsPast(edge) ? "past" : edge.invalid_at ? "over" : was !== undefined && was !== edge.strength ? (edge.strength > was ? "stronger" : "weaker") : edge.evidence_n > 1 ? "again" : "learned";
  const text = factSentence(edge, (id) => labels[id], words);
  const shift = sort === "stronger" || sort === "weaker";
  return { seq: change.seq, id: edge.id, at: change.at, sort, text, user: edge.user_id || null, scene: sceneOf(change, labels), kind: null, type: null, predicate: edge.predicate, from: shift ? (was ?? null) : null, to: shift ? edge.strength : null };
}

function thingLine(change: ChangeLine, labels: Record<string, string>): FeedLine | null {
  const node = change.node;
  if (!node) return null;
  const scene = node.kind === "Scene" ? { id: node.id, label: node.label } : sceneOf(change, labels);
  return { seq: change.seq, id: node.id, at: change.at, sort: node.kind === "Scene" ? "scene" : "thing", text: node.label, user: node.user_id, scene, kind: node.kind, type: node.entity_type, predicate: null, from: null, to: null };
}

function sceneOf({ scene }: ChangeLine, labels: Record<string, string>): FeedLine["scene"] {
  return scene ? { id: scene, label: labels[scene] ?? "…" } : null;
}

/** What one conversation, or one correction, changed. */
export interface Conversation {
  scene: FeedLine["scene"];
  user: string | null;
  at: string;
  lines: FeedLine[];
}

export interface Day {
  day: string;
  conversations: Conversation[];
}

/** One commit may hold several conversations, so that changes without a scene only belong together by their time. A scene is the heading. */
export function byConversation(lines: readonly FeedLine[], words: Words): Conversation[] {
  const conversations = new Map<string, Conversation>();
  for (const line of lines) {
    const key = `${words.date(line.at)} ${line.user} ${line.scene?.id ?? line.at}`;
    const conversation = conversations.get(key) ?? { scene: line.scene, user: line.user, at: line.at, lines: [] };
    conversations.set(key, conversation);
    // Facts that were written again, such as those of a thing that got its name in the same conversation, say the same.
    if (line.sort !== "scene" && !conversation.lines.some((one) => one.text === line.text && one.sort === line.sort && one.predicate === line.predicate)) conversation.lines.push(line);
  }
  return [...conversations.values()];
}

export function byDay(conversations: readonly Conversation[], words: Words): Day[] {
  const days: Day[] = [];
  for (const conversation of conversations) {
    const day = words.date(conversation.at);
    const last = days.at(-1);
    if (last?.day === day) last.conversations.push(conversation);
    else days.push({ day, conversations: [conversation] });
  }
  return days;
}
