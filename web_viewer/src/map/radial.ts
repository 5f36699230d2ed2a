/** The mind map layout: each user in the middle, what they like, care about and dislike in sectors around, scenes outside. */

import type { GraphEdge, GraphNode } from "../protocol/frames";
import { angleAndRadius, Occupied, outsideOf, polar, STRETCH, stretchFor, TOP, type Layout, type Point, type Sector } from "./place";
import { GROUP_ORDER, type GroupKey } from "../graph/groups";
import { type Bond, type Cluster, gatherClusters } from "./clusters";
import { atOnce } from "./slices";

const FIRST_RING = 150;
const RING_GAP = 78;
const SLOT = 94;
const SCENE_SLOT = 74;
const SCENE_GAP = 62;
/** Scenes that are placed in one step. */
const SCENES_STEP = 40;
const SECTOR_PAUSE = 0.07;
/** Added to each sector's weight, so that a small memory has room on all sides. */
const EXPECTED = 1;
const CLUSTER_GAP = 90;
/** With up to this many things that belong to nobody, each has room for its label. */
const LOOSE_FEW = 24;
const LOOSE_STEP = 56;
const ORIGIN: Point = { x: 0, y: 0 };

interface Wish {
  id: string;
  angle: number;
}

/** Width by height of a usual canvas. */
export const SCREEN = 1.6;

/**
 * Return the layout of a graph; it does not depend on the order of the elements.
 *
 * @param shape width by height of the canvas, which the surroundings of each user and the arrangement of several follow.
 */
export function radialLayout(nodes: Iterable<GraphNode>, edges: Iterable<GraphEdge>, shape = SCREEN): Layout {
  return atOnce(radialSteps(nodes, edges, shape));
}

/** Lay out the graph as `radialLayout` does, and yield after each step. */
export function* radialSteps(nodes: Iterable<GraphNode>, edges: Iterable<GraphEdge>, shape = SCREEN): Generator<void, Layout> {
  const { clusters, loose } = gatherClusters([...nodes], [...edges]);
  yield;
  const placed: PlacedCluster[] = [];
  const stretch = stretchFor(shape);
  for (const cluster of clusters) {
    placed.push(placeCluster(cluster, stretch));
    yield;
  }
  const layout: Layout = { points: new Map(), sectors: [], arranged: 0 };
  let bottom = 0;
  for (const [part, centre] of pack(placed, shape, stretch)) {
    for (const [id, point] of part.points) layout.points.set(id, { x: point.x + centre.x, y: point.y + centre.y });
    for (const sector of part.sectors) layout.sectors.push({ ...sector, centre });
    bottom = Math.max(bottom, centre.y + part.radius + CLUSTER_GAP);
  }
  yield;
  for (const [id, point] of placeLoose(loose, [...layout.points.values()], bottom)) layout.points.set(id, point);
  yield* placeScenes(clusters, placed, layout, stretch);
  layout.arranged = layout.points.size;
  return layout;
}

/** Place what belongs to nobody in rows below the rest and as wide: close together, since the rest is what the map is for. */
function placeLoose(ids: readonly string[], others: readonly Point[], top: number): Map<string, Point> {
  const xs = others.map(({ x }) => x);
  const [left, right] = xs.length > 0 ? [Math.min(...xs), Math.max(...xs)] : [0, 0];
  const few = ids.length <= LOOSE_FEW || xs.length === 0;
  const [stepX, stepY] = few ? [SLOT * STRETCH, RING_GAP] : [LOOSE_STEP, LOOSE_STEP];
  const columns = few ? Math.max(4, Math.ceil(Math.sqrt(ids.length * 2))) : Math.max(4, Math.floor((right - left) / stepX));
  const middle = (left + right) / 2;
  return new Map(
    ids.map((id, index) => {
      const x = middle + ((index % columns) - (Math.min(columns, ids.length) - 1) / 2) * stepX;
      return [id, { x, y: top + Math.floor(index / columns) * stepY }];
    }),
  );
}

/** Place scenes last, around their user, since they are folded until opened: they take no room from the rest, but cover nothing. */
function* placeScenes(clusters: readonly Cluster[], placed: readonly PlacedCluster[], layout: Layout, stretch: number): Generator<void, void> {
  const occupied = new Occupied(SCENE_GAP, layout.points.values());
  const outside = outsideOf(layout.sectors);
  for (const [index, cluster] of clusters.entries()) {
    yield;
    const around = placed[index] as PlacedCluster;
    const centre = layout.points.get(cluster.hub) ?? ORIGIN;
    const own = new Map(around.points);
    spreadAround(cluster.scenes, own, cluster.neighbours, around.radius + RING_GAP, SCENE_SLOT, stretch);
    for (const [number, id] of cluster.scenes.entries()) {
      if (number % SCENES_STEP === SCENES_STEP - 1) yield;
      const wish = own.get(id) ?? ORIGIN;
      const at = { x: wish.x + centre.x, y: wish.y + centre.y };
      const spot = occupied.free(at) && outside(at) ? at : occupied.near(at, outside);
      layout.points.set(id, spot);
      occupied.add(spot);
    }
  }
}

interface PlacedCluster extends Pick<Layout, "points" | "sectors"> {
  id: string;
  radius: number;
}

function placeCluster(cluster: Cluster, stretch: number): PlacedCluster {
  const points = new Map<string, Point>([[cluster.hub, ORIGIN]]);
  const sectors = openSectors(cluster, stretch);
  // A person without facts keeps room for the first ones, which come into the sectors.
  let reach = FIRST_RING;
  for (const sector of sectors) {
    const bonds = cluster.first.filter((bond) => bond.sector === sector.key);
    sector.outer = fillSector(sector, bonds, points);
    reach = Math.max(reach, sector.outer);
  }
  for (const sector of sectors) sector.outer = reach;
  const radius = spreadAround(cluster.further, points, cluster.neighbours, reach + RING_GAP, SLOT, stretch);
  return { id: cluster.hub, points, sectors, radius };
}

/** Return the sectors of a user without facts. */
export function emptyFans(hub: string, centre: Point, stretch = STRETCH): Sector[] {
  const cluster = { hub, first: [], further: [], scenes: [], neighbours: new Map<string, string[]>() };
  return openSectors(cluster, stretch).map((sector) => ({ ...sector, centre }));
}

/** Size sectors by their contents; an empty one keeps some room, since nothing moves later. */
function openSectors(cluster: Cluster, stretch: number): Sector[] {
  const sizes = new Map<GroupKey, number>();
  for (const bond of cluster.first) sizes.set(bond.sector, (sizes.get(bond.sector) ?? 0) + 1);
  const weight = (key: GroupKey): number => ((sizes.get(key) ?? 0) + EXPECTED) ** 0.8;
  const whole = GROUP_ORDER.reduce((sum, key) => sum + weight(key), 0);
  const room = 2 * Math.PI - GROUP_ORDER.length * SECTOR_PAUSE;
  let angle = TOP + SECTOR_PAUSE / 2;
  return GROUP_ORDER.map((key) => {
    const width = (room * weight(key)) / whole;
    const sector = { hub: cluster.hub, key, centre: ORIGIN, from: angle, to: angle + width, inner: FIRST_RING, outer: FIRST_RING, stretch };
    angle += width + SECTOR_PAUSE;
    return sector;
  });
}

/** Arrange rows from the inside out, strongest first, with neighbouring rows staggered. */
function fillSector(sector: Sector, bonds: readonly Bond[], points: Map<string, Point>): number {
  let radius = sector.inner;
  let start = 0;
  for (let row = 0; start < bonds.length; row += 1) {
    const capacity = Math.max(1, Math.floor(((sector.to - sector.from) * radius) / SLOT));
    const members = bonds.slice(start, start + capacity);
    const step = (sector.to - sector.from) / members.length;
    const stagger = members.length === capacity && row % 2 === 1 ? 0.25 : 0;
    members.forEach((bond, index) => {
      points.set(bond.id, polar(ORIGIN, sector.from + step * (index + 0.5 + stagger), radius, sector.stretch));
    });
    start += capacity;
    radius += RING_GAP;
  }
  return radius - RING_GAP;
}

/** Place nodes outside of the others, each as close as possible to the direction of its neighbours. */
function spreadAround(
  ids: readonly string[],
  points: Map<string, Point>,
  neighbours: ReadonlyMap<string, readonly string[]>,
  radius: number,
  slot: number,
  stretch: number,
): number {
  if (ids.length === 0) return radius - RING_GAP;
  const wishes = ids.map((id) => ({ id, angle: direction(neighbours.get(id) ?? [], points, stretch) }));
  wishes.sort((a, b) => a.angle - b.angle || (a.id < b.id ? -1 : 1));
  const rows: Wish[][] = [];
  let rest = wishes.length;
  for (let at = radius; rest > 0; at += RING_GAP) {
    rows.push([]);
    rest -= Math.floor((2 * Math.PI * at) / slot);
  }
  wishes.forEach((wish, index) => rows[index % rows.length]?.push(wish));
  rows.forEach((row, index) => {
    const at = radius + index * RING_GAP;
    for (const wish of pushApart(row, Math.min(slot / at, (2 * Math.PI) / row.length))) {
      points.set(wish.id, polar(ORIGIN, wish.angle, at, stretch));
    }
  });
  return radius + (rows.length - 1) * RING_GAP;
}

function direction(neighbours: readonly string[], points: ReadonlyMap<string, Point>, stretch: number): number {
  let x = 0;
  let y = 0;
  for (const id of neighbours) {
    const point = points.get(id);
    if (!point || (point.x === 0 && point.y === 0)) continue;
    const { angle } = angleAndRadius(ORIGIN, point, stretch);
    x += Math.cos(angle);
    y += Math.sin(angle);
  }
  return Math.hypot(x, y) < 1e-6 ? TOP : Math.atan2(y, x);
}

/** Spread sorted angles to a minimum distance; the excess wraps around the circle. */
function pushApart(sorted: readonly Wish[], least: number): Wish[] {
  const spread = sorted.map((wish) => ({ ...wish }));
  for (let index = 1; index < spread.length; index += 1) {
    const here = spread[index] as Wish;
    here.angle = Math.max(here.angle, (spread[index - 1] as Wish).angle + least);
  }
  const first = spread[0];
  const last = spread.at(-1);
  if (!first || !last) return spread;
  const overflow = last.angle - (first.angle + 2 * Math.PI - least);
  if (overflow <= 0) return spread;
  let limit = last.angle - overflow;
  for (let index = spread.length - 1; index >= 0; index -= 1) {
    const here = spread[index] as Wish;
    here.angle = Math.min(here.angle, limit);
    limit = here.angle - least;
  }
  return spread;
}

const TURNS = 32;

/** Put the largest cluster in the middle, and each other one beside them such that the whole stays closest to the shape of a screen. */
function pack(clusters: readonly PlacedCluster[], shape: number, stretch: number): [PlacedCluster, Point][] {
  const sorted = [...clusters].sort((a, b) => b.points.size - a.points.size || (a.id < b.id ? -1 : 1));
  const done: [PlacedCluster, Point][] = [];
  let [left, top, right, bottom] = [0, 0, 0, 0];
  for (const cluster of sorted) {
    const grown = (at: Point): readonly [number, number, number, number] => {
      const wide = cluster.radius * stretch;
      return [Math.min(left, at.x - wide), Math.min(top, at.y - cluster.radius), Math.max(right, at.x + wide), Math.max(bottom, at.y + cluster.radius)];
    };
    const spots = done.length === 0 ? [ORIGIN] : Array.from({ length: TURNS }, (_, turn) => nearestSpot((2 * Math.PI * turn) / TURNS, cluster, done, stretch));
    const cost = (at: Point): number => {
      const [l, t, r, b] = grown(at);
      return Math.max((r - l) / shape, b - t) + 1e-3 * Math.hypot(at.x, at.y);
    };
    const spot = spots.reduce((best, one) => (cost(one) < cost(best) - 1e-6 ? one : best));
    [left, top, right, bottom] = grown(spot);
    done.push([cluster, spot]);
  }
  return done;
}

/** Return the spot nearest to the middle in one direction where a cluster overlaps none of the others. */
function nearestSpot(angle: number, cluster: PlacedCluster, done: readonly [PlacedCluster, Point][], stretch: number): Point {
  const [ux, uy] = [Math.cos(angle), Math.sin(angle)];
  // Along the direction each placed cluster forbids one interval of distances.
  const forbidden: [number, number][] = [];
  for (const [other, at] of done) {
    const [qx, qy] = [at.x / stretch, at.y];
    const apart = cluster.radius + other.radius + CLUSTER_GAP;
    const along = ux * qx + uy * qy;
    const room = apart ** 2 - (qx ** 2 + qy ** 2 - along ** 2);
    if (room > 0) forbidden.push([along - Math.sqrt(room), along + Math.sqrt(room)]);
  }
  forbidden.sort((a, b) => a[0] - b[0]);
  let distance = 0;
  for (const [from, to] of forbidden) if (from <= distance) distance = Math.max(distance, to);
  return polar(ORIGIN, angle, distance, stretch);
}
