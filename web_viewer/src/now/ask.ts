/** Ask a question and write a message: the answer with its citations, and the way to each on the map. Pure, but for the requests. */

import type { GraphState } from "../graph/reduce";
import { askGraphql } from "../live/requests";

/** Longest question and message; the service accepts no longer question. */
export const TEXT_MAX = 4_000;

export interface AnswerHit {
  kind: "MESSAGE" | "SCENE" | "FACT";
  id: string;
  uri: string;
  text: string;
  saidAt: string;
  speaker: string | null;
  role: string | null;
  /** Messages: the scene, once it is read. */
  sceneId: string | null;
  evidence: { id: string }[];
}

export interface Answer {
  sentences: { text: string; sources: number[] }[];
  hits: AnswerHit[];
  confidence: number | null;
  nothingRelevant: boolean;
  /** The model; null if the sentences are quoted. */
  writtenBy: string | null;
  notes: string[];
}

const ASK = `query($user: String!, $text: String!) { ask(userId: $user, query: $text) { sentences { text sources } confidence nothingRelevant writtenBy notes
  hits { kind id uri text saidAt speaker role sceneId evidence { id } } } }`;
const TELL = "mutation($input: RememberInput!) { remember(input: $input) { spooled } }";

/** @throws Error with the service's message if it refuses. */
export async function askMemory(tenant: string, user: string, text: string, signal: AbortSignal): Promise<Answer> {
  return (await askGraphql<{ ask: Answer }>(ASK, { user, text }, tenant, signal)).ask;
}

/**
 * Store a message of the user, in a session of its own for each day.
 *
 * @returns whether it waits on disk for the database.
 */
export async function tellMemory(tenant: string, user: string, text: string, day: string): Promise<boolean> {
  const input = { userId: user, sessionId: `viewer-${day}`, messages: [{ role: "USER", text }] };
  return (await askGraphql<{ remember: { spooled: boolean } }>(TELL, { input }, tenant)).remember.spooled;
}

export interface Citation {
  /** From 1, in the order in which the sentences cite them. */
  number: number;
  hit: AnswerHit;
}

export interface CitedSentence {
  text: string;
  citations: Citation[];
}

/** Return the sentences with their numbered sources; a sentence without any is left out, whoever wrote it. */
export function citedSentences({ sentences, hits }: Pick<Answer, "sentences" | "hits">): CitedSentence[] {
  const numbers = new Map<number, number>();
  const cite = (source: number): Citation => {
    if (!numbers.has(source)) numbers.set(source, numbers.size + 1);
    return { number: numbers.get(source) as number, hit: hits[source] as AnswerHit };
  };
  return sentences
    .map(({ text, sources }) => ({ text, citations: sources.filter((source) => hits[source] !== undefined).map(cite) }))
    .filter(({ citations }) => citations.length > 0);
}

/** Return each source of some sentences once, by number. */
export function sourcesOf(sentences: readonly CitedSentence[]): Citation[] {
  return [...new Map(sentences.flatMap(({ citations }) => citations).map((one) => [one.number, one])).values()];
}

/** Return the fact that a citation is, or that the cited message proves; null if none was found. */
export function factOf(hit: AnswerHit, hits: readonly AnswerHit[]): string | null {
  if (hit.kind === "FACT") return hit.id;
  return hits.find((one) => one.kind === "FACT" && one.evidence.some(({ id }) => id === hit.id))?.id ?? null;
}

/** Return the conversation in the URI of a message; null for other URIs. */
export function sessionIn(uri: string): string | null {
  const found = /^memory:\/\/[^/]+\/session\/[^/]+\/([^/]+)\/timeline\//.exec(uri)?.[1];
  return found === undefined ? null : decodeURIComponent(found);
}

/** @returns the facts that a cited message proves; none if it is not read yet. */
export async function factsOfMessage(tenant: string, user: string, { id, uri }: AnswerHit, signal: AbortSignal): Promise<string[]> {
  const query = "query($user: String!, $session: String!, $id: String!) { message(userId: $user, sessionId: $session, id: $id) { facts { id } } }";
  const found = await askGraphql<{ message: { facts: { id: string }[] } | null }>(query, { user, session: sessionIn(uri) ?? "", id }, tenant, signal);
  return (found.message?.facts ?? []).map((fact) => fact.id);
}

type Graph = Pick<GraphState, "nodes" | "edges">;

/**
 * Return the way to a citation in steps of elements that the page has: the person, the fact with its object, the scene with the sentence.
 *
 * @param user whose memory it is; the way to a message without a fact begins there.
 */
export function wayOf({ fact, scene, user }: { fact: string | null; scene: string | null; user: string }, { nodes, edges }: Graph): string[][] {
  const edge = fact === null ? undefined : edges.get(fact);
  const person = edge?.source ?? [...nodes.values()].find((node) => node.kind === "User" && node.user_id === user)?.id;
  const steps = [[person], edge ? [edge.id, edge.target] : [], [scene]];
  return steps.map((step) => step.filter((id): id is string => !!id && (nodes.has(id) || edges.has(id)))).filter((step) => step.length > 0);
}

/** Return what the first steps of a way light up, each element with the number of its step. */
export function litSteps(way: readonly string[][], steps: number): Map<string, number[]> {
  return new Map(way.slice(0, steps).flatMap((ids, index) => ids.map((id): [string, number[]] => [id, [index + 1]])));
}
