/** What each answer to a review card does, as operations with their inverses. Pure. */

import { confirmFact, type FactEdit, mergeEntities, type Operation, rejectFact, splitEntity, inverseOperation, updateFact } from "../correct/operations";

export interface ReviewFact {
  id: string;
  statement: string;
  predicate: string;
  relation: string | null;
  subjectId: string;
  subject: string;
  objectId: string;
  object: string;
  strength: number;
  confidence: number;
  importance: number;
  validAt: string;
  lastSeen: string;
  messages: number;
}

export interface ReviewEntity {
  id: string;
  name: string;
  aliases: string[];
  entityType: string | null;
}

export type CardKind = "CONTRADICTION" | "SAME" | "STILL_TRUE" | "ONE_SENTENCE";

export interface Card {
  id: string;
  kind: CardKind;
  facts: ReviewFact[];
  entities: ReviewEntity[];
  /** Whose memory it is about. */
  userId: string;
}

export interface Stack {
  cards: Card[];
  settledToday: number;
  left: number;
}

/** The three keys. The middle one corrects a fact; of two facts or entities it is the third possible answer. */
export type Answer = "confirm" | "correct" | "reject";

export interface Step {
  operation: Operation;
  /** Return what undoes it, given the service's answer. */
  inverse(answer: unknown): Operation;
}

const FACT = "{ id statement predicate relation subjectId subject objectId object strength confidence importance validAt lastSeen messages }";
export const STACK = `{ settledToday left cards { id kind facts ${FACT} entities { id name aliases entityType } } }`;

/** @returns null if the answer needs a form first. */
export function stepsOf(card: Card, answer: Answer, nowIso: string, reason: string): Step[] | null {
  const [one, other] = card.facts;
  if (card.kind === "SAME") return sameSteps(card, answer, reason);
  if (!one) return [];
  if (card.kind === "CONTRADICTION" && other) {
    if (answer === "correct") return [confirming(one.id), confirming(other.id)];
    return answer === "confirm" ? [ending(one, other.validAt), confirming(other.id)] : [rejecting(other.id), confirming(one.id)];
  }
  if (answer === "confirm") return [confirming(one.id)];
  if (answer === "correct") return null;
  return [card.kind === "STILL_TRUE" ? ending(one, nowIso) : rejecting(one.id)];
}

/** Return the step that saves an edited fact. */
export function editing(id: string, edit: FactEdit): Step {
  return { operation: updateFact(id, edit), inverse: undoing };
}

function confirming(id: string): Step {
  return { operation: confirmFact(id), inverse: undoing };
}

function rejecting(id: string): Step {
  return { operation: rejectFact(id), inverse: undoing };
}

/** End a fact; one that would end before it began was never true. */
function ending(fact: ReviewFact, at: string): Step {
  if (Date.parse(at) <= Date.parse(fact.validAt)) return rejecting(fact.id);
  return { operation: updateFact(fact.id, { invalidAt: at }), inverse: undoing };
}

function undoing(answer: unknown): Operation {
  return inverseOperation({ correction: (answer as { id: string }).id }, "");
}

function sameSteps(card: Card, answer: Answer, reason: string): Step[] {
  const [first, second] = card.entities;
  if (!first || !second) return [];
  if (answer === "reject") {
    const operation = { query: "mutation($first: String!, $second: String!) { done: rejectMerge(firstId: $first, secondId: $second) }", variables: { first: first.id, second: second.id } };
    return [{ operation, inverse: (id) => ({ query: "mutation($id: String!) { done: allowMerge(id: $id) }", variables: { id } }) }];
  }
  const [keep, merge] = answer === "confirm" ? [first, second] : [second, first];
  return [{ operation: mergeEntities(keep.id, merge.id, reason), inverse: (receipt) => splitEntity((receipt as { mergeId: string }).mergeId) }];
}

/** Return the elements that show a card on the map, with a number for each fact or entity. */
export function onMap(card: Card): Map<string, number> {
  const shown = new Map<string, number>();
  card.facts.forEach((fact, index) => {
    shown.set(fact.id, index + 1);
    for (const id of [fact.objectId, fact.subjectId]) if (!shown.has(id)) shown.set(id, index + 1);
  });
  card.entities.forEach((entity, index) => shown.set(entity.id, index + 1));
  return shown;
}
