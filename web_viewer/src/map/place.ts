/** Geometry of the map: points, sectors and the search for a free spot. */

import type { Disc } from "../net/discs";
import { type GroupKey } from "../graph/groups";

export interface Point {
  x: number;
  y: number;
}

/** One sector of the mind map, such as everything one user likes. */
export interface Sector {
  hub: string;
  key: GroupKey;
  centre: Point;
  /** Radians, clockwise from the right. */
  from: number;
  to: number;
  inner: number;
  outer: number;
  /** Width by height of the ellipse it is a part of; `STRETCH` if missing. */
  stretch?: number;
}

export interface Layout {
  points: Map<string, Point>;
  sectors: Sector[];
  /** Number of nodes when it was arranged; later ones were added. */
  arranged: number;
  /** Positions of communities, for the network. */
  discs?: ReadonlyMap<string, Disc>;
}

/** Screens and labels are wider than high. */
export const STRETCH = 1.3;
/** On an upright screen the surroundings of a person are higher than wide, as far as labels beside each other allow. */
const STRETCH_MIN = 0.8;

/** @param shape width by height of the canvas. */
export function stretchFor(shape: number): number {
  return Math.min(STRETCH, Math.max(STRETCH_MIN, STRETCH * shape));
}

/** The direction of twelve o'clock. */
export const TOP = -Math.PI / 2;

export function polar(centre: Point, angle: number, radius: number, stretch = STRETCH): Point {
  return { x: centre.x + Math.cos(angle) * radius * stretch, y: centre.y + Math.sin(angle) * radius };
}

/** The inverse of `polar`. */
export function angleAndRadius(centre: Point, point: Point, stretch = STRETCH): { angle: number; radius: number } {
  const x = (point.x - centre.x) / stretch;
  const y = point.y - centre.y;
  return { angle: Math.atan2(y, x), radius: Math.hypot(x, y) };
}

/** Return the distance of a point from the line between two others. */
export function distanceToLine(at: Point, from: Point, to: Point): number {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const length = dx * dx + dy * dy;
  const share = length === 0 ? 0 : Math.min(1, Math.max(0, ((at.x - from.x) * dx + (at.y - from.y) * dy) / length));
  return Math.hypot(from.x + share * dx - at.x, from.y + share * dy - at.y);
}

export function sectorName(hub: string, key: GroupKey): string {
  return `${hub} ${key}`;
}

/** Margin of a sector around its nodes, towards its user and away from it. */
export const INSIDE = 62;
export const OUTSIDE = 58;

/** Return whether a point is in the painted area of a sector. */
export function inSector(sector: Sector, point: Point): boolean {
  const { angle, radius } = angleAndRadius(sector.centre, point, sector.stretch);
  if (radius < sector.inner - INSIDE || radius > sector.outer + OUTSIDE) return false;
  const turned = angle + Math.ceil((sector.from - angle) / (2 * Math.PI)) * 2 * Math.PI;
  return turned <= sector.to;
}

/** Return the outermost points of a sector as it is painted. */
export function rimOf({ centre, from, to, outer, stretch }: Sector): Point[] {
  const quarter = Math.PI / 2;
  const angles = [from, to];
  for (let angle = Math.ceil(from / quarter) * quarter; angle < to; angle += quarter) angles.push(angle);
  return angles.map((angle) => polar(centre, angle, outer + OUTSIDE, stretch));
}

/** Return a test whether a point is outside of the sectors of all users. */
export function outsideOf(sectors: readonly Sector[]): (point: Point) => boolean {
  const hubs = new Map<string, Sector>();
  for (const sector of sectors) if (sector.outer > (hubs.get(sector.hub)?.outer ?? 0)) hubs.set(sector.hub, sector);
  const all = [...hubs.values()];
  return (point) => all.every((one) => angleAndRadius(one.centre, point, one.stretch).radius > one.outer + OUTSIDE);
}

/** Distance of the keys of two columns. Cells that share a key cost time only. */
const COLUMN = 2 ** 20;

/** A grid index of points, for finding those within a distance. */
export class Occupied {
  private readonly cells = new Map<number, Point[]>();

  constructor(
    private readonly gap: number,
    points: Iterable<Point>,
  ) {
    for (const point of points) this.add(point);
  }

  add(point: Point): void {
    const key = this.key(Math.floor(point.x / this.gap), Math.floor(point.y / this.gap));
    const cell = this.cells.get(key);
    if (cell) cell.push(point);
    else this.cells.set(key, [point]);
  }

  free(point: Point): boolean {
    const column = Math.floor(point.x / this.gap);
    const row = Math.floor(point.y / this.gap);
    const near = this.gap * this.gap;
    for (let dx = -1; dx <= 1; dx += 1) {
      for (let dy = -1; dy <= 1; dy += 1) {
        for (const other of this.cells.get(this.key(column + dx, row + dy)) ?? []) {
          const [x, y] = [other.x - point.x, other.y - point.y];
          if (x * x + y * y < near) return false;
        }
      }
    }
    return true;
  }

  /** Return the first free spot on a spiral around the anchor that is allowed. */
  near(anchor: Point, allowed: (point: Point) => boolean = () => true): Point {
    const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5));
    for (let step = 0; ; step += 1) {
      const radius = this.gap * 0.5 * Math.sqrt(step);
      const point = {
        x: anchor.x + Math.cos(step * GOLDEN_ANGLE) * radius * STRETCH,
        y: anchor.y + Math.sin(step * GOLDEN_ANGLE) * radius,
      };
      if (this.free(point) && allowed(point)) return point;
    }
  }

  private key(column: number, row: number): number {
    return column * COLUMN + row;
  }
}
