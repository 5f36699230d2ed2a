/** Fetch questions and messages. */

import { askGraphql } from "../live/requests";
import type { Message, Question } from "./stream";

const QUESTION = "{ id userId kind door text at confidence nothingRelevant found hits { rank kind id score used text at role speaker onMap } }";
const WHOLE = QUESTION.replace("{", "{ judged { id wanted } given { text tokens tokensMax }");
const FACT = "{ id statement predicate sourceId targetId invalidAt }";
const TEXT_CHARS = 2_000;
const MESSAGES = `messages(userId: $user, first: 30, newestFirst: true) { nodes {
  id userId sessionId role speaker text(maxChars: ${TEXT_CHARS}) chars saidAt: time sceneId read: isRead made: facts ${FACT} closed ${FACT} } }`;

interface Page {
  messages: { nodes: (Omit<Message, "truncated"> & { chars: number })[] };
}

export interface Fetched {
  questions: Question[];
  messages: Message[];
}

export async function fetchNow(tenant: string, user: string | null, signal: AbortSignal): Promise<Fetched> {
  const query = `query($user: String) { questions(userId: $user, limit: 100) ${QUESTION} ${MESSAGES} }`;
  const found = await askGraphql<{ questions: Question[] } & Page>(query, { user }, tenant, signal);
  return { questions: found.questions, messages: oldestFirst(found) };
}

export async function fetchMessages(tenant: string, user: string | null, signal: AbortSignal): Promise<Message[]> {
  return oldestFirst(await askGraphql<Page>(`query($user: String) { ${MESSAGES} }`, { user }, tenant, signal));
}

function oldestFirst({ messages }: Page): Message[] {
  return messages.nodes.map(({ chars, ...message }) => ({ ...message, truncated: chars > TEXT_CHARS })).reverse();
}

/** @returns the question with its texts and what the agent got; null if it is no longer kept. */
export async function fetchQuestion(tenant: string, id: string): Promise<Question | null> {
  const query = `query($ids: [String!]) { questions(ids: $ids, limit: 1) ${WHOLE} }`;
  return (await askGraphql<{ questions: Question[] }>(query, { ids: [id] }, tenant)).questions[0] ?? null;
}

/** Say whether a hit should be recalled; null withdraws that. */
export async function judgeRecall(tenant: string, question: string, element: string, wanted: boolean | null): Promise<void> {
  const query = "mutation($question: String!, $element: String!, $wanted: Boolean) { judgeRecall(questionId: $question, elementId: $element, wanted: $wanted) }";
  await askGraphql(query, { question, element, wanted }, tenant);
}

/** @returns the judged questions of a user as a file of `mnemoscene eval`. */
export async function fetchCases(tenant: string, user: string): Promise<unknown> {
  return (await askGraphql<{ recallCases: unknown }>("query($user: String!) { recallCases(userId: $user) }", { user }, tenant)).recallCases;
}
