/** Apply valid time and transaction time to the graph, as the service's recall does. */

import type { GraphEdge, GraphNode } from "../protocol/frames";

/** ISO 8601; null means now, or everything known. */
export interface Moments {
  validAt: string | null;
  asOf: string | null;
}

export const NOW: Moments = { validAt: null, asOf: null };

export function isNow(moments: Moments): boolean {
  return moments.validAt === null && moments.asOf === null;
}

/**
 * Return a fact as of these times.
 *
 * @returns null if it was not known or not yet valid; without its end if that was not known or not yet reached.
 */
export function factAt(edge: GraphEdge, moments: Moments): GraphEdge | null {
  const asOf = msOf(moments.asOf);
  const validAt = msOf(moments.validAt) ?? asOf;
  const known = msOf(edge.known_at) ?? msOf(edge.first_seen) ?? 0;
  if (asOf !== null && known > asOf) return null;
  const begun = msOf(edge.valid_at) ?? msOf(edge.first_seen) ?? 0;
  if (validAt !== null && begun > validAt) return null;
  const end = msOf(edge.invalid_at);
  if (end === null) return edge;
  const unheard = asOf !== null && (msOf(edge.closing_known_at) ?? known) > asOf;
  const ahead = validAt !== null && end > validAt;
  return unheard || ahead ? { ...edge, invalid_at: null } : edge;
}

/** Return whether a node existed by then, that is, had its first message. */
export function thingAt(node: GraphNode, moments: Moments): boolean {
  const at = msOf(moments.validAt) ?? msOf(moments.asOf);
  return at === null || moments.validAt === null || (msOf(node.first_seen) ?? 0) <= at;
}

export function msOf(iso: string | null | undefined): number | null {
  if (!iso) return null;
  const ms = Date.parse(iso);
  return Number.isNaN(ms) ? null : ms;
}

const DAY_MS = 86_400_000;

/** Return whether a time is a midnight of UTC, which stands for its day. */
export function isDay(at: Date): boolean {
  return at.getTime() % DAY_MS === 0;
}

/** Return the day of a time as `YYYY-MM-DD`, as the page shows it. */
export function dayOf(iso: string | null | undefined): string {
  const ms = msOf(iso);
  if (ms === null) return "";
  const at = new Date(ms);
  return new Date(ms - (isDay(at) ? 0 : at.getTimezoneOffset() * 60_000)).toISOString().slice(0, 10);
}

/** Return the last moment of a period whose end is exclusive, or its last day if that is a day. */
export function lastOf(until: string): string {
  const end = new Date(until);
  return new Date(end.getTime() - (isDay(end) ? DAY_MS : 1)).toISOString();
}
