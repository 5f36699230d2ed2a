/** Fetch questions and messages. */

import { askGraphql } from "../live/requests";
import type { Message, Question } from "./stream";

const QUESTION = "{ id userId kind door text at confidence nothingRelevant found hits { rank kind id score used text at role speaker onMap } }";
const FACT = "{ id statement predicate sourceId targetId invalidAt }";
const MESSAGE = `{ id userId sessionId role speaker text truncated saidAt sceneId read made ${FACT} closed ${FACT} }`;
const MESSAGES = 30;

export interface Fetched {
  questions: Question[];
  messages: Message[];
}

export async function fetchNow(tenant: string, user: string | null, signal: AbortSignal): Promise<Fetched> {
  const query = `query($user: String, $messages: Int!) { questions(userId: $user, limit: 100) ${QUESTION} conversation(userId: $user, limit: $messages) ${MESSAGE} }`;
  const found = await askGraphql<{ questions: Question[]; conversation: Message[] }>(query, { user, messages: MESSAGES }, tenant, signal);
  return { questions: found.questions, messages: found.conversation };
}

export async function fetchMessages(tenant: string, user: string | null, signal: AbortSignal): Promise<Message[]> {
  const query = `query($user: String, $messages: Int!) { conversation(userId: $user, limit: $messages) ${MESSAGE} }`;
  return (await askGraphql<{ conversation: Message[] }>(query, { user, messages: MESSAGES }, tenant, signal)).conversation;
}

/** @returns the question with its texts; null if it is no longer kept. */
export async function fetchQuestion(tenant: string, id: string): Promise<Question | null> {
  const query = `query($ids: [String!]) { questions(ids: $ids, limit: 1) ${QUESTION} }`;
  return (await askGraphql<{ questions: Question[] }>(query, { ids: [id] }, tenant)).questions[0] ?? null;
}
