/** Record visits of this browser, to show what changed since the last one. */

import type { KeyValues } from "../view/browserStorage";

/** A return within this time is the same visit. */
const SAME_VISIT_MS = 30 * 60_000;

interface Visits {
  /** End of the previous visit. */
  before: string | null;
  last: string | null;
}

/** Record a visit. @returns the end of the previous one, or null on the first. */
export function noteVisit(storage: KeyValues, tenant: string, nowMs: number): string | null {
  const key = `mnemoscene:visits:${tenant}`;
  const known = read(storage, key);
  const lastMs = known.last === null ? null : Date.parse(known.last);
  const same = lastMs !== null && nowMs - lastMs < SAME_VISIT_MS;
  const visits: Visits = { before: same ? known.before : known.last, last: new Date(nowMs).toISOString() };
  try {
    storage.setItem(key, JSON.stringify(visits));
  } catch {
    // Without storage every visit is the first.
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
