/** Questions and messages as one stream, and what a question lights up on the map. Pure. */

import type { GraphState } from "../graph/reduce";
import type { QuestionAsked } from "../protocol/frames";

export interface QuestionHit {
  rank: number;
  kind: "MESSAGE" | "SCENE" | "FACT";
  id: string;
  score: number;
  /** It was part of the answer. */
  used: boolean;
  text: string;
  at: string | null;
  role: string | null;
  speaker: string | null;
  /** Ids of the nodes and edges that show it. */
  onMap: string[];
}

export interface Question {
  id: string;
  userId: string;
  kind: "RECALL" | "CONTEXT";
  door: "GRAPHQL" | "MCP" | "COMMAND" | "SERVICE";
  text: string;
  at: string;
  confidence: number | null;
  nothingRelevant: boolean;
  found: number;
  /** Null until the texts are fetched. */
  hits: QuestionHit[] | null;
  /** The text that the agent got; undefined until it is fetched, null if it got hits. */
  given?: { text: string; tokens: number; tokensMax: number } | null;
  /** What was said of its hits; undefined until it is fetched. */
  judged?: { id: string; wanted: boolean }[];
}

export interface MessageFact {
  id: string;
  statement: string;
  predicate: string;
  sourceId: string;
  targetId: string;
  invalidAt: string | null;
}

export interface Message {
  id: string;
  userId: string;
  sessionId: string;
  role: string;
  speaker: string | null;
  text: string;
  truncated: boolean;
  saidAt: string;
  sceneId: string | null;
  read: boolean;
  made: MessageFact[];
  closed: MessageFact[];
}

export const KEPT_MAX = 100;

/** Return the question of a frame; its texts are fetched when it is shown. */
export function questionOf(frame: QuestionAsked): Question {
  const { id, text, at, confidence, door } = frame;
  return { id, text, at, confidence, door: door.toUpperCase() as Question["door"], userId: frame.user_id, kind: frame.kind.toUpperCase() as Question["kind"], nothingRelevant: frame.nothing_relevant, found: frame.found_n, hits: null };
}

/** Add questions to those known, newest first; each once, and a known one keeps its texts. */
export function withQuestions(known: readonly Question[], more: readonly Question[]): Question[] {
  const byId = new Map(known.map((one) => [one.id, one]));
  for (const one of more) byId.set(one.id, { ...one, hits: one.hits ?? byId.get(one.id)?.hits ?? null, given: one.given ?? byId.get(one.id)?.given, judged: one.judged ?? byId.get(one.id)?.judged });
  return [...byId.values()].sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0)).slice(0, KEPT_MAX);
}

/**
 * Return the questions after they were fetched. Frames may add and remove questions while the answer is on its way, and
 * the answer may be older than they are.
 *
 * @param known the questions now.
 * @param before ids of the questions known when the request was sent.
 * @param removed ids of questions removed since then.
 */
export function afterFetch(known: readonly Question[], before: ReadonlySet<string>, fetched: readonly Question[], removed: ReadonlySet<string>): Question[] {
  return withQuestions(known.filter((one) => !before.has(one.id)), fetched.filter((one) => !removed.has(one.id)));
}

/**
 * Return the elements that show a question's hits: each with the rank of its first hit, and of every hit of which it is the
 * element that the list opens. The elements are those the page has.
 */
export function litBy(hits: readonly QuestionHit[], graph: Pick<GraphState, "nodes" | "edges">): Map<string, number[]> {
  const lit = new Map<string, number[]>();
  for (const hit of hits) {
    if (!hit.used) continue;
    for (const id of hit.onMap) {
      const ranks = lit.get(id);
      if (ranks === undefined && (graph.nodes.has(id) || graph.edges.has(id))) lit.set(id, [hit.rank]);
      else if (id === hit.onMap[0]) ranks?.push(hit.rank);
    }
  }
  return lit;
}

export type StreamItem = { sort: "question"; key: string; at: string; question: Question } | { sort: "message"; key: string; at: string; message: Message };
export type StreamPart = "all" | "questions" | "messages";

/** Return questions and messages in one list, newest first. Messages keep the order of the conversation. */
export function stream(questions: readonly Question[], messages: readonly Message[], part: StreamPart): StreamItem[] {
  const asked: StreamItem[] = part === "messages" ? [] : questions.map((question) => ({ sort: "question", key: `q ${question.id}`, at: question.at, question }));
  const said: StreamItem[] = part === "questions" ? [] : [...messages].reverse().map((message) => ({ sort: "message", key: `m ${message.id}`, at: message.saidAt, message }));
  const items: StreamItem[] = [];
  // Both are sorted; merging keeps the order of messages of the same time.
  let next = 0;
  for (const one of said) {
    while (next < asked.length && Date.parse((asked[next] as StreamItem).at) >= Date.parse(one.at)) items.push(asked[next++] as StreamItem);
    items.push(one);
  }
  return [...items, ...asked.slice(next)];
}

/**
 * Return the width of a score's bar, 0 to 1: that of the best hit is the probability that the answer is in the memory.
 * Scores are sums, which may be negative; how far one is behind the best counts.
 */
export function share(score: number, { hits, confidence }: Pick<Question, "hits" | "confidence">): number {
  const best = Math.max(...(hits ?? []).map((hit) => hit.score));
  return (confidence ?? 1) * Math.min(1, Math.exp(score - best));
}
