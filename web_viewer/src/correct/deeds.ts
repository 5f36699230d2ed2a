/** Corrections as GraphQL operations, each with its inverse. Pure. */

export interface Operation {
  query: string;
  variables: Record<string, unknown>;
}

/** The inverse of a correction. */
export type TakeBack = { correction: string } | { split: string } | { merge: { keep: string; merge: string } };

/** Corrected fields of a fact; absent ones stay. */
export interface FactEdit {
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

export interface MergeReceipt {
  mergeId: string;
  keptId: string;
  mergedId: string;
}

const CORRECTION = "{ id kind text at factId pending }";
const RECEIPT = "{ mergeId keptId mergedId }";
const FORGOTTEN = "{ messages scenes facts entities }";

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

export function takeBack(how: TakeBack, reason: string): Operation {
  if ("correction" in how) return { query: "mutation($id: String!) { done: undoCorrection(id: $id) }", variables: { id: how.correction } };
  return "split" in how ? splitEntity(how.split) : mergeEntities(how.merge.keep, how.merge.merge, reason);
}

export function latestCorrections(userId: string, limit: number): Operation {
  return { query: `query($userId: String!, $limit: Int!) { corrections(userId: $userId, limit: $limit) ${CORRECTION} }`, variables: { userId, limit } };
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
  if (now.until !== was.until && now.until !== "") edit.invalidAt = `${now.until}T00:00:00Z`;
  const complete = now.statement.trim() !== "" && now.object.trim() !== "";
  return complete && Object.keys(edit).length > 0 ? edit : null;
}

/** Return the statement with the object replaced, if it contains the old one. */
export function statementWith(statement: string, was: string, now: string): string {
  return was !== "" && statement.includes(was) ? statement.replace(was, () => now) : statement;
}
