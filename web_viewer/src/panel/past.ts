/** Fetch the history and the causes of a fact, on demand. */

import { queryString, askGraphql, askService } from "../live/requests";
import type { GraphPart } from "../protocol/generated";

export interface FactVersion {
  id: string;
  statement: string;
  validAt: string | null;
  invalidAt: string | null;
  knownAt: string;
  closingKnownAt: string | null;
  closing: { reason: string; factId: string | null } | null;
}

const HISTORY = `query($id: String!) {
  factHistory(id: $id) { id statement validAt invalidAt knownAt closingKnownAt closing { reason factId } }
}`;

/** Fetch all versions of a fact, oldest first. */
export async function fetchHistory(id: string, tenant: string, signal: AbortSignal): Promise<FactVersion[]> {
  return (await askGraphql<{ factHistory: FactVersion[] }>(HISTORY, { id }, tenant, signal)).factHistory;
}

/** Fetch the part of the graph that an element follows from, with `paths` to its last known causes. */
export function fetchCauses(id: string, user: string | null, tenant: string, signal: AbortSignal): Promise<GraphPart> {
  return askService<GraphPart>(`explore/causes/${encodeURIComponent(id)}${queryString({ user })}`, tenant, signal);
}
