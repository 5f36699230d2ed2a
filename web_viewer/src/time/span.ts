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

const STEPS_MS = [3_600_000, 6 * 3_600_000, 86_400_000, 7 * 86_400_000, 30.44 * 86_400_000, 91.3 * 86_400_000, 365.25 * 86_400_000, 5 * 365.25 * 86_400_000];

/** Return at most `most` evenly spaced ticks. */
export function ticks(span: Span, most: number): { atMs: number; days: boolean }[] {
  const length = span.toMs - span.fromMs;
  const step = STEPS_MS.find((one) => length / one <= most) ?? length / most;
  const found: { atMs: number; days: boolean }[] = [];
  for (let at = Math.ceil(span.fromMs / step) * step; at < span.toMs; at += step) found.push({ atMs: at, days: step >= 86_400_000 });
  return found;
}
