/** Small valid nodes, edges and frames, and dice that fall the same way each time. */

import type { GraphEdge, GraphNode, GraphPatch, GraphSnapshot, PatchOp } from "../src/protocol/frames";

export const AT = "2026-11-20T08:00:00Z";

export function aNode(id: string, more: Partial<GraphNode> = {}): GraphNode {
  return {
    id,
    kind: "Entity",
    label: id,
    user_id: "alice",
    entity_type: null,
    aliases: [],
    summary: null,
    importance: null,
    first_seen: AT,
    last_seen: AT,
    evidence_n: 1,
    ...more,
  };
}

export function anEdge(id: string, source: string, target: string, more: Partial<GraphEdge> = {}): GraphEdge {
  return {
    id,
    source,
    target,
    predicate: "PREFERS",
    relation: null,
    statement: null,
    user_id: "alice",
    strength: 0.5,
    confidence: 0.9,
    first_seen: AT,
    last_seen: AT,
    valid_at: null,
    invalid_at: null,
    known_at: null,
    closing_known_at: null,
    category: null,
    evidence_n: 1,
    ...more,
  };
}

export function aSnapshot(seq: number, nodes: GraphNode[], edges: GraphEdge[], more: Partial<GraphSnapshot> = {}): GraphSnapshot {
  const size = { nodes: nodes.length, edges: edges.length };
  return { t: "graph_snapshot", epoch: "e1", seq, part: 0, parts: 1, as_of: AT, stale: false, shown: size, total: size, nodes, edges, ...more };
}

export function aPatch(from: number, to: number, ops: PatchOp[], more: Partial<GraphPatch> = {}): GraphPatch {
  return { t: "graph_patch", epoch: "e1", from, to, at: AT, changes: ops.length, ops, ...more };
}

/** Mulberry32: small, even, and the same on every machine. */
export function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

export function pick<T>(roll: () => number, items: readonly T[]): T {
  return items[Math.floor(roll() * items.length)] as T;
}

/** One user with likes, dislikes, further things and scenes. */
export function aMemory(things: number, user = "u"): { nodes: GraphNode[]; edges: GraphEdge[] } {
  const roll = dice(things);
  const nodes = [aNode(user, { kind: "User", label: "Alice" })];
  const edges: GraphEdge[] = [];
  for (let index = 0; index < things; index += 1) {
    const id = `${user}-e${index}`;
    nodes.push(aNode(id));
    const predicate = pick(roll, ["PREFERS", "DISLIKES", "CARES_ABOUT", "RELATES_TO"]);
    const source = index > 3 && roll() < 0.3 ? `${user}-e${Math.floor(roll() * index)}` : user;
    edges.push(anEdge(`${user}-r${index}`, source, id, { predicate, strength: roll() }));
  }
  for (let index = 0; index < things / 4; index += 1) {
    const id = `${user}-s${index}`;
    nodes.push(aNode(id, { kind: "Scene" }));
    edges.push(anEdge(`${user}-m${index}`, id, `${user}-e${Math.floor(roll() * things)}`, { predicate: "MENTIONED" }));
  }
  return { nodes, edges };
}

export function byId<T extends { id: string }>(items: Iterable<T>): Map<string, T> {
  return new Map([...items].map((item) => [item.id, item]));
}
