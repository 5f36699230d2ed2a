/** What the full screen tells: the latest facts and questions, each for a while. Pure. */

import type { NowFrame } from "../protocol/frames";

/** How long something is told, and how many at once. */
export const TOLD_MS = 14_000;
const TOLD_MAX = 5;
const CHARS_MAX = 240;

export interface Told {
  key: string;
  kind: "fact" | "question";
  text: string;
  untilMs: number;
}

/** Add what came to what is told, newest last; the oldest give way. */
export function withTold(told: readonly Told[], came: readonly Omit<Told, "untilMs">[], nowMs: number): Told[] {
  const keys = new Set(came.map(({ key }) => key));
  const kept = told.filter((one) => one.untilMs > nowMs && !keys.has(one.key));
  return [...kept, ...came.map((one) => ({ ...one, text: one.text.slice(0, CHARS_MAX), untilMs: nowMs + TOLD_MS }))].slice(-TOLD_MAX);
}

/** Return the elements that show what a question found, each with its rank. */
export function litByFrame(frame: Extract<NowFrame, { t: "question" }>): Map<string, number[]> {
  const lit = new Map<string, number[]>();
  for (const [index, { id, kind, scene, used }] of frame.hits.entries()) {
    const shown = kind === "message" ? scene : id;
    if (used && shown !== null && !lit.has(shown)) lit.set(shown, [index + 1]);
  }
  return lit;
}
