/** The period that a memory covers, on either time axis, and its activity. Pure. */

import type { GraphEdge, GraphNode } from "../protocol/frames";
import { msOf } from "../view/moments";

export type Axis = "true" | "known";

export interface Span {
  fromMs: number;
  toMs: number;
}

interface Part {
  nodes: ReadonlyMap<string, GraphNode>;
  edges: ReadonlyMap<string, GraphEdge>;
}

/** Return the times at which facts started or ended, or at which that became known, unsorted. */
export function momentsOf(part: Part, axis: Axis): number[] {
  const found: number[] = [];
  const put = (iso: string | null | undefined): void => {
    const ms = msOf(iso);
    if (ms !== null) found.push(ms);
  };
  for (const edge of part.edges.values()) {
    if (axis === "known") {
      put(edge.known_at ?? edge.first_seen);
      put(edge.closing_known_at);
    } else if (edge.predicate !== "MENTIONED") {
      put(edge.valid_at ?? edge.first_seen);
      put(edge.invalid_at);
    }
  }
  if (axis === "true") for (const node of part.nodes.values()) if (node.kind === "Scene") put(node.first_seen);
  return found;
}

/** @returns null if there is no history yet. */
export function spanOf(moments: readonly number[]): Span | null {
  if (moments.length === 0) return null;
  let [fromMs, toMs] = [Infinity, -Infinity];
  for (const ms of moments) [fromMs, toMs] = [Math.min(fromMs, ms), Math.max(toMs, ms)];
  // Start before the first change, so that the beginning is empty; add some room if all came at once.
  const room = Math.max((toMs - fromMs) * 0.02, 1_000);
  return { fromMs: fromMs - room, toMs: toMs + room };
}

/** Count the times in each of `n` equal parts. */
export function histogram(moments: readonly number[], span: Span, n: number): number[] {
  const counts = new Array<number>(n).fill(0);
  for (const ms of moments) {
    const at = Math.min(n - 1, Math.max(0, Math.floor(((ms - span.fromMs) / (span.toMs - span.fromMs)) * n)));
    counts[at] = (counts[at] as number) + 1;
  }
  return counts;
}

/** The unit that the label of a tick names. */
export type TickUnit = "hour" | "day" | "month" | "year";

/** Steps of the ruler in calendar units, with their approximate length in hours. */
const STEPS: readonly { unit: TickUnit; by: number; hours: number }[] = [
  { unit: "hour", by: 1, hours: 1 },
  { unit: "hour", by: 6, hours: 6 },
  { unit: "day", by: 1, hours: 24 },
  { unit: "day", by: 2, hours: 24 * 2 },
  { unit: "day", by: 7, hours: 24 * 7 },
  { unit: "month", by: 1, hours: 24 * 31 },
  { unit: "month", by: 3, hours: 24 * 92 },
  { unit: "year", by: 1, hours: 24 * 366 },
  { unit: "year", by: 5, hours: 24 * 1_827 },
];
const HOUR_MS = 3_600_000;

/** Return at most `most` ticks, on the first of local hours, days, every other day, Mondays, months, quarters or years. */
export function ticks(span: Span, most: number): { atMs: number; unit: TickUnit }[] {
  const length = span.toMs - span.fromMs;
  const fitting = STEPS.find((one) => length / (one.hours * HOUR_MS) <= most - 1);
  const years = Math.ceil(length / (24 * 366 * HOUR_MS) / Math.max(most - 1, 1));
  const step = fitting ?? { unit: "year" as const, by: years };
  const found: { atMs: number; unit: TickUnit }[] = [];
  for (let at = startOf(span.fromMs, step); at.getTime() < span.toMs && found.length < most; at = after(at, step)) {
    if (at.getTime() >= span.fromMs) found.push({ atMs: at.getTime(), unit: step.unit });
  }
  return found;
}

/** Return the last calendar boundary before or at a time. */
function startOf(ms: number, { unit, by }: { unit: TickUnit; by: number }): Date {
  const at = new Date(ms);
  const [year, month, day] = [at.getFullYear(), at.getMonth(), at.getDate()];
  if (unit === "year") return new Date(year - (year % by), 0, 1);
  if (unit === "month") return new Date(year, month - (month % by), 1);
  if (unit === "hour") return new Date(year, month, day, at.getHours() - (at.getHours() % by));
  // Counted from a Monday.
  const days = Math.floor(Date.UTC(year, month, day) / (24 * HOUR_MS)) + 3;
  return new Date(year, month, day - (((days % by) + by) % by));
}

function after(at: Date, { unit, by }: { unit: TickUnit; by: number }): Date {
  const [year, month, day] = [at.getFullYear(), at.getMonth(), at.getDate()];
  if (unit === "year") return new Date(year + by, 0, 1);
  if (unit === "month") return new Date(year, month + by, 1);
  if (unit === "day") return new Date(year, month, day + by);
  return new Date(at.getTime() + by * HOUR_MS);
}

/** Return the middle of each of `n` equal parts in which something happens, ascending; playing skips the others. */
export function busyParts(counts: readonly number[]): number[] {
  return counts.flatMap((count, index) => (count > 0 ? [(index + 1) / counts.length] : []));
}
