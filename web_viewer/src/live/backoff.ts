/** Delay before the next attempt: full jitter (AWS Architecture Blog, "Exponential Backoff And Jitter"). */

const FIRST_MS = 500;
const LONGEST_MS = 15_000;

/** @param attempt counts from 0; @param random is in [0, 1). */
export function waitMs(attempt: number, random: number): number {
  const ceiling = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempt, 10));
  return Math.round(random * ceiling);
}
