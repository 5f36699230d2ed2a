/** Lay out a small graph by forces (d3-force), in steps that leave the page responsive. Deterministic. */

import { forceCollide, forceLink, forceManyBody, forceSimulation, forceX, forceY, type SimulationNodeDatum } from "d3-force";
import type { Point } from "../map/place";
import { type Disc, freeSpot } from "./discs";

export interface Pull {
  source: string;
  target: string;
  /** 1 for a fact, less for what is only mentioned together. */
  weight: number;
}

interface Body extends SimulationNodeDatum {
  id: string;
  home: Point;
}

const TICKS = 260;
const APART = 30;
const LINK = 70;
const CHARGE = -190;
const CHARGE_REACH = 700;
/** Room of one node in the middle of its group, in map units. */
const ROOM = 46;
const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5));
/** Fewer nodes stand farther apart, since a window is not zoomed in beyond the usual size of nodes. */
const SPREAD_BELOW = 48;
const SPREAD_MAX = 3.2;

/**
 * Yield after each step; return the position of each node.
 *
 * @param groupOf the person a node belongs to: groups start, and are held, apart from each other.
 */
export function* forceLayout(ids: readonly string[], pulls: readonly Pull[], groupOf: (id: string) => string): Generator<void, Map<string, Point>> {
  const homes = groupHomes(ids, groupOf);
  const ranks = new Map<string, number>();
  const bodies = ids.map((id): Body => {
    const group = groupOf(id);
    const rank = ranks.get(group) ?? 0;
    ranks.set(group, rank + 1);
    const home = homes.get(group) ?? { x: 0, y: 0 };
    const away = ROOM * 0.6 * Math.sqrt(rank);
    return { id, home, x: home.x + Math.cos(rank * GOLDEN_ANGLE) * away, y: home.y + Math.sin(rank * GOLDEN_ANGLE) * away };
  });
  const links = pulls.map(({ source, target, weight }) => ({ source, target, weight }));
  const degrees = new Map<string, number>();
  for (const { source, target } of pulls) for (const id of [source, target]) degrees.set(id, (degrees.get(id) ?? 0) + 1);
  const simulation = forceSimulation(bodies)
    .force(
      "link",
      forceLink<Body, { source: string | Body; target: string | Body; weight: number }>(links)
        .id((body) => body.id)
        // A person with many facts needs a wider ring for them.
        .distance((link) => LINK + 7 * Math.sqrt(Math.max(...[link.source, link.target].map((end) => degrees.get((end as Body).id) ?? 1))))
        .strength((link) => link.weight / Math.min(...[link.source, link.target].map((end) => degrees.get((end as Body).id) ?? 1))),
    )
    .force("charge", forceManyBody().strength(CHARGE).distanceMax(CHARGE_REACH))
    .force("collide", forceCollide(APART))
    // Screens are wider than high.
    .force("x", forceX<Body>((body) => body.home.x).strength(0.035))
    .force("y", forceY<Body>((body) => body.home.y).strength(0.06))
    .alphaDecay(1 - 0.001 ** (1 / TICKS))
    .stop();
  for (let tick = 0; tick < TICKS; tick += 1) {
    simulation.tick();
    yield;
  }
  const spread = Math.min(SPREAD_MAX, Math.max(1, Math.sqrt(SPREAD_BELOW / bodies.length)));
  return new Map(bodies.map(({ id, x = 0, y = 0 }) => [id, { x: Math.round(x * spread), y: Math.round(y * spread) }]));
}

/** Return the middle of each group: the largest in the middle, the others beside it. */
function groupHomes(ids: readonly string[], groupOf: (id: string) => string): Map<string, Point> {
  const sizes = new Map<string, number>();
  for (const id of ids) sizes.set(groupOf(id), (sizes.get(groupOf(id)) ?? 0) + 1);
  const homes = new Map<string, Disc>();
  for (const [group, size] of [...sizes].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))) {
    const r = ROOM * Math.sqrt(size);
    homes.set(group, { id: group, ...freeSpot({ x: 0, y: 0 }, r, homes.values()), r, hue: 0 });
  }
  return homes;
}
