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
  const room = Math.max((toMs - fromMs) * 0.02, MINUTE_MS);
  return { fromMs: fromMs - room, toMs: toMs + room };
}

/** The unit that the label of a tick names. */
export type TickUnit = "hour" | "day" | "month" | "year";

/** Steps of the ruler in calendar units, those below a day in minutes, with their approximate length in hours. */
const STEPS: readonly { unit: TickUnit; by: number; hours: number }[] = [
  ...[1, 5, 15, 60, 360].map((by) => ({ unit: "hour" as const, by, hours: by / 60 })),
  { unit: "day", by: 1, hours: 24 },
  { unit: "day", by: 2, hours: 24 * 2 },
  { unit: "day", by: 7, hours: 24 * 7 },
  { unit: "month", by: 1, hours: 24 * 31 },
  { unit: "month", by: 3, hours: 24 * 92 },
  { unit: "year", by: 1, hours: 24 * 366 },
  { unit: "year", by: 5, hours: 24 * 1_827 },
];
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Return at most `most` ticks, on the first of local minutes, hours, days, every other day, Mondays, months, quarters or years. */
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
  const minute = at.getHours() * 60 + at.getMinutes();
  if (unit === "hour") return new Date(year, month, day, 0, minute - (minute % by));
  // Counted from a Monday.
  const days = Math.floor(Date.UTC(year, month, day) / (24 * HOUR_MS)) + 3;
  return new Date(year, month, day - (((days % by) + by) % by));
}

function after(at: Date, { unit, by }: { unit: TickUnit; by: number }): Date {
  const [year, month, day] = [at.getFullYear(), at.getMonth(), at.getDate()];
  if (unit === "year") return new Date(year + by, 0, 1);
  if (unit === "month") return new Date(year, month + by, 1);
  if (unit === "day") return new Date(year, month, day + by);
  return new Date(at.getTime() + by * MINUTE_MS);
}

/** Return the middle of each of `n` equal parts in which something happens, ascending; playing skips the others. */
export function busyParts(counts: readonly number[]): number[] {
  return counts.flatMap((count, index) => (count > 0 ? [(index + 1) / counts.length] : []));
}

/** A stretch of time in which nothing happens, and its place on the axis, as shares of the whole. */
export interface Gap extends Span {
  from: number;
  to: number;
}

/** Maps times to shares of an axis on which empty years take little room. */
export interface Scale {
  gaps: Gap[];
  /** Return 0 at the beginning of the span and 1 at its end. */
  share(ms: number): number;
  /** The inverse of `share`. */
  at(share: number): number;
}

const EMPTY_MIN_MS = 366 * 24 * HOUR_MS;
/** Shorter gaps, as shares of the whole, are shown in full: little would be gained. */
const EMPTY_MIN_SHARE = 0.12;
const GAP_SHARE = 0.04;

/** Compress each empty stretch of more than a year that would take a large share of the axis. */
export function scaleOf(moments: readonly number[], span: Span): Scale {
  const sorted = [...moments].sort((a, b) => a - b);
  const whole = span.toMs - span.fromMs;
  const empty: Span[] = [];
  for (const [index, ms] of sorted.entries()) {
    const before = sorted[index - 1];
    if (before === undefined || ms - before < EMPTY_MIN_MS || (ms - before) / whole < EMPTY_MIN_SHARE) continue;
    // What happens at either end stays beside the break.
    const room = (ms - before) * 0.02;
    empty.push({ fromMs: before + room, toMs: ms - room });
  }
  const gone = empty.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
  const busy = (1 - GAP_SHARE * empty.length) / (whole - gone);
  const gaps: Gap[] = [];
  let [share, ms] = [0, span.fromMs];
  for (const { fromMs, toMs } of empty) {
    const from = share + (fromMs - ms) * busy;
    gaps.push({ fromMs, toMs, from, to: from + GAP_SHARE });
    [share, ms] = [from + GAP_SHARE, toMs];
  }
  const knots = [[span.fromMs, 0] as const, ...gaps.flatMap((gap) => [[gap.fromMs, gap.from] as const, [gap.toMs, gap.to] as const]), [span.toMs, 1] as const];
  const between = (value: number, is: 0 | 1): number => {
    const to = Math.max(1, knots.findIndex((knot) => knot[is] >= value));
    const [a, b] = [knots[to - 1] ?? knots[0]!, knots[to] ?? knots.at(-1)!];
    const other = is === 0 ? 1 : 0;
    return a[other] + ((value - a[is]) / (b[is] - a[is])) * (b[other] - a[other]);
  };
  return { gaps, share: (at) => between(Math.min(span.toMs, Math.max(span.fromMs, at)), 0), at: (share) => between(Math.min(1, Math.max(0, share)), 1) };
}

/** Count the times in each of `n` parts of an axis. */
export function histogram(moments: readonly number[], scale: Scale, n: number): number[] {
  const counts = new Array<number>(n).fill(0);
  for (const ms of moments) counts[Math.min(n - 1, Math.floor(scale.share(ms) * n))]! += 1;
  return counts;
}
