/** Place new nodes beside those they belong to; placed nodes never move. */

import { isClosed } from "../graph/facts";
import { type GroupKey, groupOf } from "../graph/groups";
import type { GraphEdge, GraphNode } from "../protocol/frames";
import { angleAndRadius, inSector, Occupied, outsideOf, polar, type Layout, type Point, type Sector, TOP } from "./place";

const GAP = 62;
const SCENE_STEP = 110;
const ROWS_OUTSIDE = 3;

/** @returns positions for the nodes that have none. */
export function placeNew(
  layout: Layout,
  nodes: ReadonlyMap<string, GraphNode>,
  edges: Iterable<GraphEdge>,
): Map<string, Point> {
  const missing = [...nodes.values()].filter((node) => !layout.points.has(node.id));
  const found = new Map<string, Point>();
  if (missing.length === 0) return found;
  const occupied = new Occupied(GAP, layout.points.values());
  const ties = tiesOf(missing, edges);
  const at = (id: string): Point | undefined => layout.points.get(id) ?? found.get(id);
  const outside = outsideOf(layout.sectors);
  const hubs = new Set(layout.sectors.map((sector) => sector.hub));
  let waiting = missing.sort(byKindThenId);
  while (waiting.length > 0) {
    const ready = waiting.filter((node) => ties.get(node.id)?.some((tie) => at(tie.other)));
    const batch = ready.length > 0 ? ready : waiting.slice(0, 1);
    for (const node of batch) {
      const tied = ties.get(node.id) ?? [];
      const rim = belongsOutside(node, tied, hubs);
      const spot = spotInFan(node, tied, layout, occupied) ?? occupied.near(anchorOf(rim, tied, layout, at), rim ? outside : undefined);
      found.set(node.id, spot);
      occupied.add(spot);
    }
    waiting = waiting.filter((node) => !found.has(node.id));
  }
  return found;
}

/** Return the things in a sector of a user that no valid fact puts there any more. */
export function endedInSector(layout: Layout, edges: Iterable<GraphEdge>, nodes: ReadonlyMap<string, GraphNode>): Set<string> {
  const ended = new Map<string, Sector>();
  const valid = new Set<string>();
  const byHub = new Map<string, Sector[]>();
  for (const sector of layout.sectors) byHub.set(sector.hub, [...(byHub.get(sector.hub) ?? []), sector]);
  for (const edge of edges) {
    if (edge.predicate === "MENTIONED") continue;
    for (const [hub, thing] of [[edge.source, edge.target], [edge.target, edge.source]] as const) {
      const sector = byHub.get(hub)?.find((one) => one.key === groupOf(edge, nodes.get(thing)));
      const point = layout.points.get(thing);
      if (!sector || !point || byHub.has(thing)) continue;
      if (!isClosed(edge)) valid.add(thing);
      else if (inSector(sector, point)) ended.set(thing, sector);
    }
  }
  return new Set([...ended.keys()].filter((id) => !valid.has(id)));
}

/** Scenes, and things that only ended facts tie to users, belong outside of all sectors. */
function belongsOutside(node: GraphNode, ties: readonly Tie[], hubs: ReadonlySet<string>): boolean {
  if (node.kind === "Scene") return true;
  const toHubs = ties.filter((tie) => hubs.has(tie.other) && tie.predicate !== "MENTIONED");
  return toHubs.length > 0 && toHubs.every((tie) => !tie.valid);
}

interface Tie {
  other: string;
  predicate: string;
  group: GroupKey;
  valid: boolean;
}

function tiesOf(missing: readonly GraphNode[], edges: Iterable<GraphEdge>): Map<string, Tie[]> {
  const byId = new Map(missing.map((node) => [node.id, node]));
  const ties = new Map<string, Tie[]>();
  const add = (id: string, other: string, edge: GraphEdge): void => {
    const list = ties.get(id) ?? [];
    list.push({ other, predicate: edge.predicate, group: groupOf(edge, byId.get(id)), valid: !isClosed(edge) });
    ties.set(id, list);
  };
  for (const edge of edges) {
    if (byId.has(edge.source)) add(edge.source, edge.target, edge);
    if (byId.has(edge.target)) add(edge.target, edge.source, edge);
  }
  return ties;
}

/** Sort scenes last: they are placed outside of what they mention. */
function byKindThenId(a: GraphNode, b: GraphNode): number {
  return Number(a.kind === "Scene") - Number(b.kind === "Scene") || (a.id < b.id ? -1 : 1);
}

/** Return the free spot of a sector that is nearest to its user, from its middle to its sides. */
function spotInFan(node: GraphNode, ties: readonly Tie[], layout: Layout, occupied: Occupied): Point | null {
  if (node.kind === "Scene") return null;
  const sector = layout.sectors.find((one) => ties.some((tie) => tie.valid && one.hub === tie.other && one.key === tie.group));
  if (!sector) return null;
  const middle = (sector.from + sector.to) / 2;
  for (let radius = sector.inner; radius <= sector.outer + ROWS_OUTSIDE * GAP; radius += GAP / 4) {
    const step = GAP / 2 / radius;
    for (let turn = 0; turn <= (sector.to - sector.from) / 2; turn += step) {
      for (const angle of [middle + turn, middle - turn]) {
        const spot = polar(sector.centre, angle, radius, sector.stretch);
        if (occupied.free(spot)) return spot;
      }
    }
  }
  return null;
}

/** @param rim whether the node belongs outside of the sectors. */
function anchorOf(rim: boolean, ties: Tie[], layout: Layout, at: (id: string) => Point | undefined): Point {
  const known = ties.map((tie) => at(tie.other)).filter((point) => point !== undefined);
  if (known.length === 0) return { x: 0, y: lowest(layout) };
  const mean = {
    x: known.reduce((sum, point) => sum + point.x, 0) / known.length,
    y: known.reduce((sum, point) => sum + point.y, 0) / known.length,
  };
  const near = nearestSector(layout, mean);
  const centre = near?.centre ?? { x: 0, y: 0 };
  const { angle, radius } = angleAndRadius(centre, mean, near?.stretch);
  if (!rim) return polar(centre, angle, radius + GAP, near?.stretch);
  // A scene that mentions only the user has no direction.
  return polar(centre, radius < 1 ? TOP : angle, Math.max(radius, near?.outer ?? 0) + SCENE_STEP, near?.stretch);
}

function nearestSector(layout: Layout, point: Point): Sector | undefined {
  const away = ({ centre }: Sector): number => Math.hypot(centre.x - point.x, centre.y - point.y);
  return [...layout.sectors].sort((a, b) => away(a) - away(b))[0];
}

function lowest(layout: Layout): number {
  let y = 0;
  for (const point of layout.points.values()) y = Math.max(y, point.y + GAP);
  return y;
}
