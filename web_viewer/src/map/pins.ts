/** Pinned nodes, which the service stores with their positions, and named arrangements, which are stored in this browser. */

import type { KeyValues } from "../view/browserStorage";
import type { Point } from "./place";

type Places = Record<string, [number, number]>;

const LAYOUTS_MAX = 20;
const POINTS_MAX = 5_000;

export interface NamedLayout {
  name: string;
  points: Places;
  pins: string[];
}

/** Return them newest first. */
function loadLayouts(storage: KeyValues, key: string): NamedLayout[] {
  const known = read<NamedLayout[]>(storage, key, []);
  return Array.isArray(known) ? known : [];
}

/** Save an arrangement; replaces one of the same name, and drops the oldest if there are too many. */
function saveLayout(storage: KeyValues, key: string, name: string, points: ReadonlyMap<string, Point>, pins: ReadonlySet<string>): NamedLayout[] {
  const rounded: Places = {};
  for (const [id, { x, y }] of [...points].slice(-POINTS_MAX)) rounded[id] = [Math.round(x), Math.round(y)];
  const others = loadLayouts(storage, key).filter((one) => one.name !== name);
  const layouts = [{ name, points: rounded, pins: [...pins] }, ...others].slice(0, LAYOUTS_MAX);
  write(storage, key, layouts);
  return layouts;
}

function dropLayout(storage: KeyValues, key: string, name: string): NamedLayout[] {
  const layouts = loadLayouts(storage, key).filter((one) => one.name !== name);
  write(storage, key, layouts);
  return layouts;
}

/** Pins and arrangements of one view of one memory. */
export class SavedLayouts {
  pins: ReadonlySet<string> = new Set();
  private key = "";

  constructor(private readonly storage: KeyValues) {}

  open(key: string): void {
    this.key = key;
    this.pins = new Set();
  }

  pin(id: string, on: boolean): void {
    const pins = new Set(this.pins);
    if (on) pins.add(id);
    else pins.delete(id);
    this.pins = pins;
  }

  layouts(): NamedLayout[] {
    return loadLayouts(this.storage, `${this.key}:layouts`);
  }

  save(name: string, points: ReadonlyMap<string, Point>): NamedLayout[] {
    return saveLayout(this.storage, `${this.key}:layouts`, name, points, this.pins);
  }

  drop(name: string): NamedLayout[] {
    return dropLayout(this.storage, `${this.key}:layouts`, name);
  }
}

/** Return current positions overridden by a saved arrangement; newer nodes stay where they are. */
export function withSaved(points: ReadonlyMap<string, Point>, saved: NamedLayout): Map<string, Point> {
  const merged = new Map(points);
  for (const [id, [x, y]] of Object.entries(saved.points)) if (merged.has(id)) merged.set(id, { x, y });
  return merged;
}

function read<T>(storage: KeyValues, key: string, otherwise: T): T {
  try {
    return (JSON.parse(storage.getItem(key) ?? "null") as T | null) ?? otherwise;
  } catch {
    // Ignore a value of another program, and disabled storage.
    return otherwise;
  }
}

function write(storage: KeyValues, key: string, value: unknown): void {
  try {
    storage.setItem(key, JSON.stringify(value));
  } catch {
    // With full or forbidden storage positions are not remembered; nothing else is affected.
  }
}
