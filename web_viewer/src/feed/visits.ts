/** When this browser looked at a memory before, so that it can tell what changed since. */

import type { KeyValues } from "../view/browserStorage";

/** Coming back after less than this is the same visit. */
const SAME_VISIT_MS = 30 * 60_000;

interface Visits {
  /** The end of the visit before this one. */
  before: string | null;
  last: string | null;
}

/** Notes that somebody looks now. @returns the end of the visit before this one, or null at the first. */
export function noteVisit(storage: KeyValues, tenant: string, nowMs: number): string | null {
  const key = `mnemograph:visits:${tenant}`;
  const known = read(storage, key);
  const lastMs = known.last === null ? null : Date.parse(known.last);
  const same = lastMs !== null && nowMs - lastMs < SAME_VISIT_MS;
  const visits: Visits = { before: same ? known.before : known.last, last: new Date(nowMs).toISOString() };
  try {
    storage.setItem(key, JSON.stringify(visits));
  } catch {
    // Without storage each visit is the first.
  }
  return visits.before;
}

function read(storage: KeyValues, key: string): Visits {
  try {
    const { before = null, last = null } = (JSON.parse(storage.getItem(key) ?? "{}") ?? {}) as Partial<Visits>;
    return { before, last };
  } catch {
    return { before: null, last: null };
  }
}
