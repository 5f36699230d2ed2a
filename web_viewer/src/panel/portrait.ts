/** A portrait: five lines about a person, each thing with the fact that says it. Pure, but for the request. */

import { isClosed } from "../graph/facts";
import { type GroupKey, groupOf } from "../graph/groups";
import type { Words } from "../i18n/words";
import { askGraphql } from "../live/requests";
import type { GraphEdge } from "../protocol/frames";

/** Facts of the person that are looked at, and things in a line. */
const FACTS_MAX = 100;
const ITEMS_MAX = 4;
const LINES_MAX = 5;
/** Groups of facts, of which the first that have any get a line; what is disliked stands behind what must be avoided. */
const TOPICS: readonly GroupKey[] = ["places", "work", "people", "likes", "avoids", "cares", "has", "events"];

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
  topic: GroupKey;
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

/**
 * Return the lines of a person that have any thing: the strongest facts first, what must be avoided before what is not liked.
 *
 * @param edges the facts that the page has, which know their category.
 */
export function portraitOf(id: string, facts: readonly PortraitFact[], edges: ReadonlyMap<string, Pick<GraphEdge, "category">>, words: Words): PortraitLine[] {
  const byGroup = new Map<GroupKey, PortraitFact[]>();
  for (const fact of facts) {
    if (fact.subject?.id !== id || !fact.object || fact.object.id === id || isClosed({ invalid_at: fact.invalidAt })) continue;
    const group = groupOf({ ...fact, category: edges.get(fact.id)?.category ?? null }, { entity_type: fact.object.entityType });
    byGroup.set(group, [...(byGroup.get(group) ?? []), fact]);
  }
  let number = 0;
  return TOPICS.flatMap((topic): PortraitLine[] => {
    const strongest = (group: GroupKey): PortraitFact[] => (byGroup.get(group) ?? []).sort((a, b) => b.strength - a.strength || (a.id < b.id ? -1 : 1));
    const all = [...strongest(topic), ...(topic === "avoids" ? strongest("dislikes") : [])];
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
  }).slice(0, LINES_MAX);
}

/** Return the cited things of a portrait, by number. */
export function itemsOf(lines: readonly PortraitLine[]): PortraitItem[] {
  return lines.flatMap(({ phrases }) => phrases.flatMap(({ items }) => items));
}
