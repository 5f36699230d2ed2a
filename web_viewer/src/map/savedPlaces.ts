/** Remembers the map of one tenant and lens in this browser, so that people find things where they left them. */

import type { KeyValues } from "../view/browserStorage";
import type { Layout, Point, Sector } from "./place";

const FORM = 2;
const POINTS_MAX = 5_000;

interface Saved {
  form: number;
  points: Record<string, [number, number]>;
  sectors: Sector[];
  arranged: number;
}

export function placesKey(tenant: string, user: string | null): string {
  return `mnemograph:places:${tenant}:${user ?? "*"}`;
}

/** @returns null when nothing usable was saved. */
export function loadPlaces(storage: KeyValues, key: string): Layout | null {
  try {
    const saved = JSON.parse(storage.getItem(key) ?? "null") as Saved | null;
    if (saved?.form !== FORM) return null;
    const points = new Map<string, Point>(Object.entries(saved.points).map(([id, [x, y]]) => [id, { x, y }]));
    return { points, sectors: saved.sectors, arranged: saved.arranged };
  } catch {
    // A value of another program, or storage that is switched off, is the same as none.
    return null;
  }
}

export function savePlaces(storage: KeyValues, key: string, layout: Layout): void {
  const points: Saved["points"] = {};
  for (const [id, point] of [...layout.points].slice(-POINTS_MAX)) points[id] = [Math.round(point.x), Math.round(point.y)];
  try {
    storage.setItem(key, JSON.stringify({ form: FORM, points, sectors: layout.sectors, arranged: layout.arranged } satisfies Saved));
  } catch {
    // A full or forbidden storage costs the memory of places, nothing else.
  }
}
