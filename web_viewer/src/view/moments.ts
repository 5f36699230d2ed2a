/** From where the memory is looked at: what was true then, and by what was known then. The service's recall says the same. */

import type { GraphEdge, GraphNode } from "../protocol/frames";

/** ISO 8601; null means now, or all that is known. */
export interface Moments {
  validAt: string | null;
  asOf: string | null;
}

export const NOW: Moments = { validAt: null, asOf: null };

export function isNow(moments: Moments): boolean {
  return moments.validAt === null && moments.asOf === null;
}

/**
 * One fact as it looked from there.
 *
 * @returns null when it was not known or had not begun; without its end when that had not come or was not known.
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

/** Whether a thing had turned up by then; it turns up with its first message. */
export function thingAt(node: GraphNode, moments: Moments): boolean {
  const at = msOf(moments.validAt) ?? msOf(moments.asOf);
  return at === null || moments.validAt === null || (msOf(node.first_seen) ?? 0) <= at;
}

export function msOf(iso: string | null | undefined): number | null {
  if (!iso) return null;
  const ms = Date.parse(iso);
  return Number.isNaN(ms) ? null : ms;
}
