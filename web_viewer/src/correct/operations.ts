/** Corrections as GraphQL operations, each with its inverse. Pure. */

import { isClosed } from "../graph/facts";
import type { Words } from "../i18n/words";
import type { GraphEdge, GraphNode } from "../protocol/frames";

export interface Operation {
  query: string;
  variables: Record<string, unknown>;
}

/** The inverse of a correction. */
export type Inverse = { correction: string } | { split: string } | { merge: { keep: string; merge: string } } | { end: { id: string; at: string } };

/** A fact entered by a person, as the service receives it. */
export interface ManualFact {
  userId: string;
  subject: string;
  predicate: string;
  relation: string | null;
  object: string;
  statement: string;
}

/** Corrected fields of a fact; absent ones stay. */
export interface FactEdit {
  /** Remove the end: the fact is true again, or still. */
  reopen?: true;
  statement?: string;
  object?: string;
  predicate?: string;
  relation?: string;
  validAt?: string;
  invalidAt?: string;
}

export interface Correction {
  id: string;
  kind: "ADD" | "UPDATE" | "CONFIRM" | "REJECT" | "PIN";
  text: string;
  at: string;
  factId: string | null;
  pending: boolean;
}

/** A merge that was not undone, as the service lists it. */
export interface StoredMerge {
  mergeId: string;
  keptName: string;
  mergedName: string;
  at: string;
}

export interface MergeReceipt {
  mergeId: string;
  keptId: string;
  mergedId: string;
}

const CORRECTION = "{ id kind text at factId pending }";
const RECEIPT = "{ mergeId keptId mergedId }";
const FORGOTTEN = "{ messages scenes facts entities }";

export function addFact(input: ManualFact): Operation {
  return { query: `mutation($input: ManualFactInput!) { done: addFact(input: $input) ${CORRECTION} }`, variables: { input } };
}

export function confirmFact(id: string): Operation {
  return { query: `mutation($id: String!) { done: confirmFact(id: $id) ${CORRECTION} }`, variables: { id } };
}

export function pinFact(id: string): Operation {
  return { query: `mutation($id: String!) { done: pinFact(id: $id) ${CORRECTION} }`, variables: { id } };
}

export function rejectFact(id: string): Operation {
  return { query: `mutation($id: String!) { done: rejectFact(id: $id) ${CORRECTION} }`, variables: { id } };
}

export function updateFact(id: string, edit: FactEdit): Operation {
  return {
    query: `mutation($id: String!, $statement: String, $object: String, $predicate: String, $relation: String, $validAt: DateTime, $invalidAt: DateTime) {
      done: updateFact(id: $id, statement: $statement, object: $object, predicate: $predicate, relation: $relation, validAt: $validAt, invalidAt: $invalidAt) ${CORRECTION}
    }`,
    variables: { id, ...edit },
  };
}

/** Remove the end of a fact. */
export function reopenFact(id: string, reason: string): Operation {
  return { query: "mutation($id: String!, $reason: String!) { done: reopenFact(id: $id, reason: $reason) { id } }", variables: { id, reason } };
}

export function mergeEntities(keep: string, merge: string, reason: string): Operation {
  return { query: `mutation($keep: String!, $merge: String!, $reason: String!) { done: mergeEntities(keepId: $keep, mergeId: $merge, reason: $reason) ${RECEIPT} }`, variables: { keep, merge, reason } };
}

export function splitEntity(id: string): Operation {
  return { query: `mutation($id: String!) { done: splitEntity(id: $id) ${RECEIPT} }`, variables: { id } };
}

const FORGET: Record<string, string> = { fact: "forgetFact", Entity: "forgetEntity", Scene: "forgetScene" };

export function canForget(kind: string): boolean {
  return kind in FORGET;
}

export function forget(kind: string, id: string): Operation {
  return { query: `mutation($id: String!) { done: ${FORGET[kind]}(id: $id) ${FORGOTTEN} }`, variables: { id } };
}

export function inverseOperation(how: Inverse, reason: string): Operation {
  if ("correction" in how) return { query: "mutation($id: String!) { done: undoCorrection(id: $id) }", variables: { id: how.correction } };
  if ("end" in how) return updateFact(how.end.id, { invalidAt: how.end.at });
  return "split" in how ? splitEntity(how.split) : mergeEntities(how.merge.keep, how.merge.merge, reason);
}

/** Corrections and merges of one user's memory. */
export function latestCorrections(userId: string, limit: number): Operation {
  return { query: `query($userId: String!, $limit: Int!) { corrections(userId: $userId, limit: $limit) ${CORRECTION} merges(userId: $userId, limit: $limit) { mergeId keptName mergedName at } }`, variables: { userId, limit } };
}

export interface MergePreview {
  name: string;
  aliases: string[];
  /** Valid facts of both together, each once. */
  facts: number;
}

/** Return what a merge results in: the name that stays, what becomes another name, and the facts. */
export function mergePreview(keep: Pick<GraphNode, "id" | "label" | "aliases">, gone: Pick<GraphNode, "id" | "label" | "aliases">, edges: Iterable<GraphEdge>): MergePreview {
  const aliases = new Set([...keep.aliases, gone.label, ...gone.aliases].filter((name) => name !== keep.label));
  const facts = new Set<string>();
  for (const edge of edges) {
    if (edge.predicate === "MENTIONED" || isClosed(edge)) continue;
    const [source, target] = [edge.source, edge.target].map((id) => (id === gone.id ? keep.id : id)) as [string, string];
    if (source !== target && (source === keep.id || target === keep.id)) facts.add(`${source} ${edge.predicate} ${edge.relation} ${target}`);
  }
  return { name: keep.label, aliases: [...aliases], facts: facts.size };
}

export interface FactAsItIs {
  statement: string;
  object: string;
  predicate: string;
  relation: string;
  /** Dates such as `2026-03-01`; empty if unknown. */
  from: string;
  until: string;
}

/** Return the changed fields of a form; null if nothing changed or the statement is missing. */
export function editOf(was: FactAsItIs, now: FactAsItIs): FactEdit | null {
  const edit: FactEdit = {};
  const changesMeaning = now.object.trim() !== was.object || now.predicate !== was.predicate || now.relation.trim() !== was.relation;
  if (now.object.trim() !== was.object) edit.object = now.object.trim();
  if (now.predicate !== was.predicate) edit.predicate = now.predicate;
  if (now.relation.trim() !== was.relation) edit.relation = now.relation.trim();
  // A different meaning needs a different statement.
  if (changesMeaning || now.statement.trim() !== was.statement) edit.statement = now.statement.trim();
  if (now.from !== was.from && now.from !== "") edit.validAt = `${now.from}T00:00:00Z`;
  if (now.until !== was.until) {
    if (now.until === "") edit.reopen = true;
    else edit.invalidAt = `${now.until}T00:00:00Z`;
  }
  const complete = now.statement.trim() !== "" && now.object.trim() !== "";
  return complete && Object.keys(edit).length > 0 ? edit : null;
}

/** What a form for a new fact holds; an empty subject is the person, and an empty statement is put together. */
export type FactDraft = Record<keyof ManualFact, string>;

/** Return the fact of a form; null if its object is missing. */
export function newFact(draft: FactDraft, owner: string, words: Words): ManualFact | null {
  const [subject, object, relation] = [draft.subject.trim(), draft.object.trim(), draft.relation.trim() || null];
  if (object === "") return null;
  const sentence = words.sentence(subject || owner, { predicate: draft.predicate, relation }, object);
  const statement = draft.statement.trim() || sentence.replace(/(?<=\p{sc=Han}) (?=\p{sc=Han})/gu, "");
  return { userId: draft.userId, subject: subject === "" || subject === owner ? "user" : subject, predicate: draft.predicate, relation, object, statement };
}

/** Return the statement with the object replaced, if it contains the old one. */
export function statementWith(statement: string, was: string, now: string): string {
  return was !== "" && statement.includes(was) ? statement.replace(was, () => now) : statement;
}
