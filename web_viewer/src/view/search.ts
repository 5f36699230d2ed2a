/** Search nodes by name or type, and facts by relation or words: Chinese by any substring, other scripts by the start of a word. */

import type { Words } from "../i18n/words";
import { factSentence, linkWords, neverHeld } from "../graph/facts";
import type { GraphEdge, GraphNode } from "../protocol/frames";

const NO_SPACES = /[\u3400-\u9FFF\u3040-\u30FF]/;

const TYPE_RANK = 3;
/** A query of more words is a question, in which words of fewer letters are not marked. */
const WORDS_MAX = 3;
const TELLING_CHARS = 4;

/** @returns best matches first: whole names, then prefixes, then the others, then those of this type; of these scenes last, then by amount of evidence. */
export function searchNodes(nodes: Iterable<GraphNode>, query: string, words?: Words): GraphNode[] {
  const folded = fold(query);
  if (folded === "") return [];
  const found: { node: GraphNode; rank: number }[] = [];
  for (const node of nodes) {
    const named = Math.min(...[node.label, ...node.aliases].map((name) => rankOf(fold(name), folded)));
    const typed = words && node.entity_type !== null && rankOf(fold(words.entityType(node.entity_type)), folded) < Infinity;
    const rank = named === Infinity && typed ? TYPE_RANK : named;
    if (rank < Infinity) found.push({ node, rank });
  }
  found.sort((a, b) => a.rank - b.rank || Number(a.node.kind === "Scene") - Number(b.node.kind === "Scene") || b.node.evidence_n - a.node.evidence_n || (a.node.id < b.node.id ? -1 : 1));
  return found.map((hit) => hit.node);
}

/** Return the facts whose relation or sentence has all words of the query, strongest first. */
export function searchFacts(edges: Iterable<GraphEdge>, query: string, nameOf: (id: string) => string | undefined, words: Words): GraphEdge[] {
  const wanted = fold(query).split(/\s+/).filter((word) => word !== "");
  if (wanted.length === 0) return [];
  const found: GraphEdge[] = [];
  for (const edge of edges) {
    if (edge.predicate === "MENTIONED" || neverHeld(edge)) continue;
    const texts = [fold(linkWords(edge, words)), fold(words.predicate(edge.predicate)), fold(factSentence(edge, nameOf, words))];
    if (wanted.every((word) => texts.some((text) => rankOf(text, word) < Infinity))) found.push(edge);
  }
  return found.sort((a, b) => Number(a.invalid_at !== null) - Number(b.invalid_at !== null) || b.strength - a.strength || (a.id < b.id ? -1 : 1));
}

/** Return the runs of a text, alternately without and with the words of a query at the beginnings of words; Chinese matches anywhere. */
export function markedRuns(text: string, query: string): string[] {
  const all = query.normalize("NFKC").split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "");
  // Of a question, the short words are in every text.
  const telling = all.filter((word) => NO_SPACES.test(word) || word.length >= TELLING_CHARS);
  const words = (all.length > WORDS_MAX ? telling : all).map((word) => (NO_SPACES.test(word) ? word : `(?<![\\p{L}\\p{N}])${word}[\\p{L}\\p{N}]*`));
  return words.length === 0 ? [text] : text.split(new RegExp(`(${words.join("|")})`, "iu"));
}

/** Return what distinguishes things of the same name: the owner, the type, and when they were mentioned. */
export function hitNote(node: GraphNode, owners: ReadonlyMap<string, string>, everyone: boolean, words: Words): string {
  const [first, last] = [words.date(node.first_seen), words.date(node.last_seen)];
  const owner = everyone && node.kind !== "User" && node.user_id !== null ? (owners.get(node.user_id) ?? node.user_id) : null;
  const type = node.entity_type === null ? null : words.entityType(node.entity_type);
  return [owner, type, first === last ? first : `${first} – ${last}`].filter((part) => part !== null).join(" · ");
}

function fold(text: string): string {
  return text.normalize("NFKC").toLowerCase().trim();
}

function rankOf(name: string, folded: string): number {
  if (name === folded) return 0;
  if (name.startsWith(folded)) return 1;
  if (NO_SPACES.test(folded)) return name.includes(folded) ? 2 : Infinity;
  const words = name.split(/[^\p{L}\p{N}]+/u);
  return words.some((word) => word.startsWith(folded)) || name.includes(` ${folded}`) ? 2 : Infinity;
}
