/** Arrow keys: move to the next node in a direction. */

import type { Point } from "./place";

export type Arrow = "ArrowUp" | "ArrowDown" | "ArrowLeft" | "ArrowRight";

const HEADING: Record<Arrow, Point> = {
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
};

/** Prefer neighbours, then any node in that direction; the angle counts more than the distance. */
export function stepTo(from: string, arrow: Arrow, points: ReadonlyMap<string, Point>, neighbours: Iterable<string>): string | null {
  return best(from, arrow, points, neighbours) ?? best(from, arrow, points, points.keys());
}

function best(from: string, arrow: Arrow, points: ReadonlyMap<string, Point>, candidates: Iterable<string>): string | null {
  const start = points.get(from);
  if (!start) return null;
  const heading = HEADING[arrow];
  let found: string | null = null;
  let least = Infinity;
  for (const id of candidates) {
    const point = points.get(id);
    if (!point || id === from) continue;
    const dx = point.x - start.x;
    const dy = point.y - start.y;
    const distance = Math.hypot(dx, dy);
    const ahead = (dx * heading.x + dy * heading.y) / (distance || 1);
    if (ahead < 0.5) continue;
    const cost = distance * (1 + 3 * (1 - ahead));
    if (cost < least) [found, least] = [id, cost];
  }
  return found;
}
