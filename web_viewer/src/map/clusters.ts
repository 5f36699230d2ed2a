/** Assign the parts of the graph to users. */

import { isClosed } from "../graph/facts";
import { type GroupKey, groupOf } from "../graph/groups";
import type { GraphEdge, GraphNode } from "../protocol/frames";

export interface Bond {
  id: string;
  sector: GroupKey;
  strength: number;
}

export interface Cluster {
  hub: string;
  /** Directly connected to the hub by a fact; strongest first. */
  first: Bond[];
  /** Reached through others. */
  further: string[];
  /** Scenes and things without a fact, which are folded if there are many. */
  scenes: string[];
  neighbours: ReadonlyMap<string, readonly string[]>;
}

export interface Gathering {
  clusters: Cluster[];
  /** Not connected to any hub; linked ones follow each other. */
  loose: string[];
}

export function gatherClusters(nodes: GraphNode[], edges: GraphEdge[]): Gathering {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const tied = edges.filter((edge) => byId.has(edge.source) && byId.has(edge.target)).sort(byRank);
  const neighbours = neighbourLists(tied);
  const hubs = findHubs(nodes, neighbours);
  const bonds = strongestBonds(hubs, tied, byId);
  const owner = spreadOwners(hubs, bonds, neighbours, byId);
  const told = new Set(tied.flatMap((edge) => (edge.predicate === "MENTIONED" ? [] : [edge.source, edge.target])));
  const clusters = hubs.map((hub) => toCluster(hub, bonds, owner, neighbours, byId, told));
  const loose = nodes.map((node) => node.id).filter((id) => !owner.has(id));
  return { clusters, loose: besideNeighbours(loose.sort(), neighbours) };
}

/** Order ids such that those linked to each other follow each other. */
function besideNeighbours(ids: readonly string[], neighbours: ReadonlyMap<string, string[]>): string[] {
  const left = new Set(ids);
  const ordered: string[] = [];
  for (const id of ids) {
    if (!left.delete(id)) continue;
    ordered.push(id);
    for (let index = ordered.length - 1; index < ordered.length; index += 1) {
      for (const next of neighbours.get(ordered[index] as string) ?? []) if (left.delete(next)) ordered.push(next);
    }
  }
  return ordered;
}

/** Sort valid facts before closed ones, then by strength. */
function byRank(a: GraphEdge, b: GraphEdge): number {
  const open = Number(a.invalid_at !== null) - Number(b.invalid_at !== null);
  return open || b.strength - a.strength || (a.id < b.id ? -1 : 1);
}

function neighbourLists(edges: readonly GraphEdge[]): Map<string, string[]> {
  const lists = new Map<string, string[]>();
  const add = (from: string, to: string): void => {
    const list = lists.get(from);
    if (list) list.push(to);
    else lists.set(from, [to]);
  };
  for (const edge of edges) {
    add(edge.source, edge.target);
    add(edge.target, edge.source);
  }
  return lists;
}

/** Return the users; without any, the agents; without those, the node of highest degree. */
function findHubs(nodes: readonly GraphNode[], neighbours: ReadonlyMap<string, string[]>): string[] {
  for (const kind of ["User", "Agent"]) {
    const found = nodes.filter((node) => node.kind === kind).map((node) => node.id);
    if (found.length > 0) return found.sort();
  }
  const degree = (id: string): number => neighbours.get(id)?.length ?? 0;
  const best = nodes
    .filter((node) => node.kind !== "Scene" && degree(node.id) > 0)
    .sort((a, b) => degree(b.id) - degree(a.id) || (a.id < b.id ? -1 : 1))[0];
  return best ? [best.id] : [];
}

interface OwnedBond extends Bond {
  hub: string;
}

/** Return the strongest valid fact between each thing and a hub; ended facts do not put a thing into a sector. */
function strongestBonds(hubs: string[], ranked: GraphEdge[], byId: ReadonlyMap<string, GraphNode>): Map<string, OwnedBond> {
  const isHub = new Set(hubs);
  const bonds = new Map<string, OwnedBond>();
  for (const edge of ranked) {
    const hub = isHub.has(edge.source) ? edge.source : isHub.has(edge.target) ? edge.target : null;
    if (hub === null || isClosed(edge)) continue;
    const id = hub === edge.source ? edge.target : edge.source;
    if (isHub.has(id) || byId.get(id)?.kind === "Scene" || bonds.has(id)) continue;
    bonds.set(id, { id, hub, sector: groupOf(edge, byId.get(id)), strength: edge.strength });
  }
  return bonds;
}

/** Walk breadth-first from the hubs; scenes are leaves, unless nothing else leads on. */
function spreadOwners(
  hubs: string[],
  bonds: ReadonlyMap<string, OwnedBond>,
  neighbours: ReadonlyMap<string, string[]>,
  byId: ReadonlyMap<string, GraphNode>,
): Map<string, string> {
  const owner = new Map(hubs.map((hub) => [hub, hub]));
  for (const bond of bonds.values()) owner.set(bond.id, bond.hub);
  const isScene = (id: string): boolean => byId.get(id)?.kind === "Scene";
  for (const throughScenes of [false, true]) {
    const queue = [...owner.keys()];
    for (let id = queue.shift(); id !== undefined; id = queue.shift()) {
      if (isScene(id) && !throughScenes) continue;
      for (const next of neighbours.get(id) ?? []) {
        if (owner.has(next)) continue;
        owner.set(next, owner.get(id) as string);
        queue.push(next);
      }
    }
  }
  return owner;
}

function toCluster(
  hub: string,
  bonds: ReadonlyMap<string, OwnedBond>,
  owner: ReadonlyMap<string, string>,
  neighbours: ReadonlyMap<string, string[]>,
  byId: ReadonlyMap<string, GraphNode>,
  told: ReadonlySet<string>,
): Cluster {
  const cluster: Cluster = { hub, first: [], further: [], scenes: [], neighbours };
  for (const [id, owned] of owner) {
    if (owned !== hub || id === hub) continue;
    const bond = bonds.get(id);
    if (bond) cluster.first.push(bond);
    else if (byId.get(id)?.kind === "Scene" || !told.has(id)) cluster.scenes.push(id);
    else cluster.further.push(id);
  }
  cluster.first.sort((a, b) => b.strength - a.strength || (a.id < b.id ? -1 : 1));
  cluster.further.sort();
  cluster.scenes.sort();
  return cluster;
}
