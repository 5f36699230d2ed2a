/** Store the node positions of one tenant and lens in this browser. */

import type { KeyValues } from "../view/browserStorage";
import type { Layout, Point, Sector } from "./place";

/** Version of the layout; positions of another version are ignored. Since 4, sectors are groups of facts. */
const FORM = 4;
const POINTS_MAX = 5_000;

interface Saved {
  form: number;
  points: Record<string, [number, number]>;
  sectors: Sector[];
  arranged: number;
}

export function placesKey(tenant: string, user: string | null): string {
  return `mnemoscene:places:${tenant}:${user ?? "*"}`;
}

/** @returns null if nothing usable was saved. */
export function loadPlaces(storage: KeyValues, key: string): Layout | null {
  try {
    const saved = JSON.parse(storage.getItem(key) ?? "null") as Saved | null;
    if (saved?.form !== FORM) return null;
    const points = new Map<string, Point>(Object.entries(saved.points).map(([id, [x, y]]) => [id, { x, y }]));
    return { points, sectors: saved.sectors, arranged: saved.arranged };
  } catch {
    // Ignore a value of another program, and disabled storage.
    return null;
  }
}

export function savePlaces(storage: KeyValues, key: string, layout: Layout): void {
  const points: Saved["points"] = {};
  for (const [id, point] of [...layout.points].slice(-POINTS_MAX)) points[id] = [Math.round(point.x), Math.round(point.y)];
  try {
    storage.setItem(key, JSON.stringify({ form: FORM, points, sectors: layout.sectors, arranged: layout.arranged } satisfies Saved));
  } catch {
    // With full or forbidden storage positions are not remembered; nothing else is affected.
  }
}
