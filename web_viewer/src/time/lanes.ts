/** The timeline's data: one row of scenes, and a lane for each node with its facts over time. Pure. */

import { isClosed } from "../graph/facts";
import type { GraphEdge, GraphNode } from "../protocol/frames";
import type { Shown } from "../view/filters";
import { msOf } from "../view/moments";

export const LANES_MAX = 120;

export interface Bar {
  edge: GraphEdge;
  fromMs: number;
  /** Null while it is valid. */
  toMs: number | null;
  /** Overlapping facts get different rows. */
  row: number;
}

export interface Lane {
  node: GraphNode;
  bars: Bar[];
  rows: number;
  /** Scenes that mention it, with their times. */
  mentions: { atMs: number; scene: string }[];
}

export interface Timeline {
  scenes: { node: GraphNode; atMs: number }[];
  /** Scenes that caused another one. */
  causes: { edge: GraphEdge; fromMs: number; toMs: number }[];
  lanes: Lane[];
  /** Number of nodes left out because the page cannot show all. */
  left: number;
}

/** Return lanes in order of first appearance; those of highest degree if there are too many. */
export function timelineOf(shown: Shown): Timeline {
  const lanes = new Map<string, Lane>();
  const at = (id: string): number => msOf(shown.nodes.get(id)?.first_seen) ?? 0;
  const lane = (id: string): Lane | null => {
    const node = shown.nodes.get(id);
    if (!node || node.kind === "Scene") return null;
    const known = lanes.get(id) ?? { node, bars: [], rows: 1, mentions: [] };
    lanes.set(id, known);
    return known;
  };
  const causes: Timeline["causes"] = [];
  for (const edge of shown.edges.values()) {
    const [source, target] = [shown.nodes.get(edge.source), shown.nodes.get(edge.target)];
    if (edge.predicate === "MENTIONED") lane(edge.target)?.mentions.push({ atMs: at(edge.source), scene: edge.source });
    else if (source?.kind === "Scene" && target?.kind === "Scene") causes.push({ edge, fromMs: at(edge.target), toMs: at(edge.source) });
    else lane(laneIdOf(edge, shown))?.bars.push({ edge, fromMs: msOf(edge.valid_at) ?? msOf(edge.first_seen) ?? 0, toMs: isClosed(edge) ? msOf(edge.invalid_at) : null, row: 0 });
  }
  const nonEmpty = [...lanes.values()].filter((one) => one.bars.length > 0);
  const kept = [...nonEmpty].sort((a, b) => weight(b) - weight(a) || (a.node.id < b.node.id ? -1 : 1)).slice(0, LANES_MAX);
  for (const one of kept) stack(one);
  kept.sort((a, b) => beginning(a) - beginning(b) || (a.node.id < b.node.id ? -1 : 1));
  const scenes = [...shown.nodes.values()].filter((node) => node.kind === "Scene").map((node) => ({ node, atMs: at(node.id) }));
  return { scenes: scenes.sort((a, b) => a.atMs - b.atMs || (a.node.id < b.node.id ? -1 : 1)), causes, lanes: kept, left: nonEmpty.length - kept.length };
}

/** Return the scene or fact on the timeline to go to for a selection; null if it is not there. */
export function stopOf(line: Timeline, id: string): string | null {
  const known = line.scenes.some((scene) => scene.node.id === id) || line.lanes.some((lane) => lane.bars.some((bar) => bar.edge.id === id));
  if (known) return id;
  return line.lanes.find((lane) => lane.node.id === id)?.bars[0]?.edge.id ?? null;
}

/** Return where the text of a bar has room, else where it is cut least; after a bar only if nothing else follows there. */
export function captionSide(needed: number, room: { inside: number; before: number; after: number }): "inside" | "before" | "after" {
  if (room.inside > needed) return "inside";
  if (room.before >= needed) return "before";
  if (room.after > needed) return "after";
  return room.inside > room.before ? "inside" : "before";
}

/** Return the node that a fact is about: its object, unless that is a person. */
function laneIdOf(edge: GraphEdge, shown: Shown): string {
  const kind = shown.nodes.get(edge.target)?.kind;
  return kind === "User" || kind === "Agent" ? edge.source : edge.target;
}

function weight(lane: Lane): number {
  return lane.bars.length * 10 + lane.mentions.length;
}

function beginning(lane: Lane): number {
  return Math.min(...lane.bars.map((bar) => bar.fromMs));
}

function stack(lane: Lane): void {
  lane.bars.sort((a, b) => a.fromMs - b.fromMs || (a.edge.id < b.edge.id ? -1 : 1));
  const ends: number[] = [];
  for (const bar of lane.bars) {
    const free = ends.findIndex((end) => end <= bar.fromMs);
    bar.row = free === -1 ? ends.length : free;
    ends[bar.row] = bar.toMs ?? Infinity;
  }
  lane.rows = Math.max(1, ends.length);
}
