/** A portrait: five lines about a person, each thing with the fact that says it. Pure, but for the request. */

import { isClosed } from "../graph/facts";
import type { Words } from "../i18n/words";
import { askGraphql } from "../live/requests";

/** Facts of the person that are looked at, and things in a line. */
const FACTS_MAX = 100;
const ITEMS_MAX = 4;
export const TOPICS = ["where", "work", "people", "likes", "avoids"] as const;
export type Topic = (typeof TOPICS)[number];
const WHERE = /^(?:lives|born|is from$|from$|comes from|moved to|grew up|hometown|staying|住|来自|出生|老家)/i;
const WORK = /^(?:works?\b|studie[sd]\b|teaches|job|profession|occupation|trains as|member of|任职|工作|职业|在学|就读|任教)/i;
const AVOIDED = /allerg|intoleran|avoid|must not|can ?not eat|过敏|過敏|不耐受|忌口|不能吃/i;

/** Return the line in which a fact is told; null for one that a portrait leaves out. */
export function topicOf({ predicate, relation, object }: Pick<PortraitFact, "predicate" | "relation" | "object">): Topic | null {
  if (predicate === "PREFERS") return "likes";
  if (predicate === "DISLIKES") return "avoids";
  if (predicate !== "RELATES_TO" || relation === null) return null;
  if (AVOIDED.test(relation)) return "avoids";
  if (WHERE.test(relation)) return "where";
  if (WORK.test(relation)) return "work";
  return object?.entityType === "person" ? "people" : null;
}

export interface PortraitFact {
  id: string;
  predicate: string;
  relation: string | null;
  statement: string;
  strength: number;
  validAt: string | null;
  invalidAt: string | null;
  subject: { id: string } | null;
  object: { id: string; name: string; entityType: string | null } | null;
  evidence: { text: string; saidAt: string }[];
}

export interface PortraitItem {
  /** Number of its citation, from 1. */
  number: number;
  fact: PortraitFact;
  name: string;
}

/** The things of a line that one relation leads to; without words where the line says it already. */
export interface Phrase {
  lead: string | null;
  items: PortraitItem[];
}

export interface PortraitLine {
  topic: Topic;
  phrases: Phrase[];
  /** Things that the line leaves out. */
  more: number;
}

const QUERY = `query($id: ID!) { node(id: $id) { facts(first: ${FACTS_MAX}) { nodes { id predicate relation statement strength validAt invalidAt
  subject { id } object { id name entityType } evidence(first: 1) { text saidAt } } } } }`;

/** @throws Error with the service's message if it returns an error. */
export async function fetchPortrait(id: string, tenant: string, signal: AbortSignal): Promise<PortraitFact[]> {
  return (await askGraphql<{ node: { facts: { nodes: PortraitFact[] } } }>(QUERY, { id }, tenant, signal)).node.facts.nodes;
}

/** Return the lines of a person that have any thing: the strongest facts first, what must be avoided before what is not liked. */
export function portraitOf(id: string, facts: readonly PortraitFact[], words: Words): PortraitLine[] {
  const byTopic = new Map<Topic, PortraitFact[]>();
  for (const fact of facts) {
    if (fact.subject?.id !== id || !fact.object || fact.object.id === id || isClosed({ invalid_at: fact.invalidAt })) continue;
    const topic = topicOf(fact);
    if (topic) byTopic.set(topic, [...(byTopic.get(topic) ?? []), fact]);
  }
  let number = 0;
  return TOPICS.flatMap((topic): PortraitLine[] => {
    const all = (byTopic.get(topic) ?? []).sort((a, b) => Number(AVOIDED.test(b.statement)) - Number(AVOIDED.test(a.statement)) || b.strength - a.strength || (a.id < b.id ? -1 : 1));
    if (all.length === 0) return [];
    const phrases = new Map<string, Phrase>();
    for (const fact of all.slice(0, ITEMS_MAX)) {
      const lead = fact.relation && topic !== "likes" && topic !== "avoids" ? words.relation(fact.relation) : null;
      const phrase = phrases.get(lead ?? "") ?? { lead, items: [] };
      phrases.set(lead ?? "", phrase);
      phrase.items.push({ number: 0, fact, name: fact.object?.name ?? "" });
    }
    const list = [...phrases.values()];
    for (const item of list.flatMap(({ items }) => items)) item.number = number += 1;
    return [{ topic, phrases: list, more: Math.max(0, all.length - ITEMS_MAX) }];
  });
}

/** Return the cited things of a portrait, by number. */
export function itemsOf(lines: readonly PortraitLine[]): PortraitItem[] {
  return lines.flatMap(({ phrases }) => phrases.flatMap(({ items }) => items));
}
