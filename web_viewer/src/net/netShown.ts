/** Choose what the network shows: open communities with their members, the others as one node each. Pure. */

import { cutNames } from "../map/labels";
import { distanceToLine, type Point } from "../map/place";
import type { GraphEdge, GraphNode } from "../protocol/frames";
import type { CommunityMap, CommunityView } from "../protocol/generated";
import { type Shown, withinBudget } from "../view/filters";
import type { Disc } from "./discs";

export const COMMUNITY: string = "Community";
/** Predicate of an edge that represents several. */
export const TIES = "TIES";

/** Most folded communities, and elements outside of open ones, while only the leading are shown; more cannot be told apart from afar. */
export const FOLDED_MAX = 110;
export const FOLDED_ELEMENTS_MAX = 250;

const NOTHING: ReadonlySet<string> = new Set();
const PREFIX = "c:";

export function foldedId(community: string): string {
  return PREFIX + community;
}

/** @returns null for an id that is not a folded community. */
export function communityIn(id: string): string | null {
  return id.startsWith(PREFIX) ? id.slice(PREFIX.length) : null;
}

/** Return the community of each known node; nodes newer than the communities join their neighbours'. */
export function communityOf(shown: Shown, map: CommunityMap): ReadonlyMap<string, string> {
  const of = new Map<string, string>();
  for (const id of shown.nodes.keys()) {
    const known = map.community_of[id];
    if (known !== undefined) of.set(id, known);
  }
  for (const edge of shown.edges.values()) {
    for (const [id, other] of [[edge.source, edge.target], [edge.target, edge.source]] as const) {
      const kind = shown.nodes.get(id)?.kind;
      const community = of.get(other);
      if (community !== undefined && !of.has(id) && (kind === "Entity" || kind === "Scene")) of.set(id, community);
    }
  }
  return of;
}

/** Return whether the map lists only some members of its communities, as for a large memory. */
function isPartial(map: CommunityMap): boolean {
  return Object.keys(map.community_of).length < map.communities.reduce((sum, one) => sum + one.members.nodes, 0);
}

/** Return the requested nodes and their neighbours. */
function withTied(requested: ReadonlySet<string>, shown: Shown): ReadonlySet<string> {
  const found = new Set(requested);
  if (requested.size > 0) {
    for (const edge of shown.edges.values()) {
      if (requested.has(edge.source)) found.add(edge.target);
      if (requested.has(edge.target)) found.add(edge.source);
    }
  }
  return found;
}

/**
 * @param open communities that show their members; null opens all.
 * @param requested nodes to show although their community is unknown; others like them are in some folded community.
 * @param all show every folded community once one is open, instead of the leading ones with the strongest links between them.
 * @returns at most as many elements as one canvas may show; the weakest edges are dropped first.
 */
export function netShown(shown: Shown, map: CommunityMap, open: ReadonlySet<string> | null, of: ReadonlyMap<string, string>, requested = NOTHING, all = true): Shown {
  const isOpen = (community: string): boolean => open === null || open.has(community);
  const nodes = new Map<string, GraphNode>();
  for (const node of map.users) nodes.set(node.id, node);
  const onlyLeading = !all || !map.communities.some((one) => isOpen(one.id));
  // Before the open ones are left out, so that opening one changes nothing about the others.
  const drawn = onlyLeading ? leading(map.communities, FOLDED_MAX) : map.communities;
  for (const community of drawn) if (!isOpen(community.id)) nodes.set(foldedId(community.id), folded(community));
  const loose = isPartial(map) ? withTied(requested, shown) : null;
  for (const node of shown.nodes.values()) {
    const community = of.get(node.id);
    const homeless = community === undefined && (node.kind === "User" || node.kind === "Agent" || loose === null || loose.has(node.id));
    if (homeless || (community !== undefined && isOpen(community))) nodes.set(node.id, node);
  }
  const place = (id: string): string | null => {
    const community = of.get(id);
    const at = community === undefined || isOpen(community) ? id : foldedId(community);
    return nodes.has(at) ? at : null;
  };
  const ties = new Ties();
  const edges: GraphEdge[] = [];
  for (const edge of shown.edges.values()) {
    const [source, target] = [place(edge.source), place(edge.target)];
    if (source === null || target === null || source === target) continue;
    if (source === edge.source && target === edge.target) edges.push(edge);
    else if (communityIn(source) === null || communityIn(target) === null) ties.add(source, target, 1);
  }
  const people = new Set(map.users.map((node) => node.id));
  for (const tie of map.links) {
    const [source, target] = [tie.source, tie.target].map((id) => (people.has(id) ? id : foldedId(id))) as [string, string];
    if (nodes.has(source) && nodes.has(target)) ties.atLeast(source, target, tie.edges);
  }
  // A community that was opened is last in the list, but first in priority.
  const inOpened = open === null ? NOTHING : new Set([...nodes.keys()].filter((id) => open.has(of.get(id) ?? "")));
  const outside = nodes.size - inOpened.size + edges.filter((edge) => !inOpened.has(edge.source) && !inOpened.has(edge.target)).length;
  const room = onlyLeading ? Math.max(0, FOLDED_ELEMENTS_MAX - outside) : Infinity;
  const both = [...edges.sort(byStrength), ...ties.edges().slice(0, room)];
  return withinBudget({ nodes, edges: new Map(both.map((edge) => [edge.id, edge])) }, inOpened);
}

/** Leave out edges that represent several and would run through the disc of an open community in which they do not end. */
export function clearOfDiscs(part: Shown, discs: readonly Disc[], of: ReadonlyMap<string, string>, points: ReadonlyMap<string, Point>): Shown {
  const runsThrough = (edge: GraphEdge, disc: Disc): boolean => {
    const [from, to] = [points.get(edge.source), points.get(edge.target)];
    if (!from || !to || of.get(edge.source) === disc.id || of.get(edge.target) === disc.id) return false;
    return distanceToLine(disc, from, to) < disc.r;
  };
  const clear = [...part.edges].filter(([, edge]) => edge.predicate !== TIES || !discs.some((disc) => runsThrough(edge, disc)));
  return clear.length === part.edges.size ? part : { ...part, edges: new Map(clear) };
}

/** Return the largest communities, taken from each user in turn so that every user has some. */
function leading(communities: readonly CommunityView[], most: number): CommunityView[] {
  const ranks = new Map<string, number>();
  const ranked = communities.map((one) => {
    const rank = ranks.get(one.user_id) ?? 0;
    ranks.set(one.user_id, rank + 1);
    return { rank, one };
  });
  return ranked.sort((a, b) => a.rank - b.rank).slice(0, most).map(({ one }) => one);
}

function byStrength(a: GraphEdge, b: GraphEdge): number {
  const rank = (edge: GraphEdge): number => (edge.predicate === "MENTIONED" ? 0 : edge.invalid_at === null ? 2 : 1);
  return rank(b) - rank(a) || b.strength - a.strength || (a.id < b.id ? -1 : 1);
}

function folded(community: CommunityView): GraphNode {
  return {
    id: foldedId(community.id),
    // Only drawn; no frame contains it.
    kind: COMMUNITY as GraphNode["kind"],
    label: cutNames(community.label),
    user_id: community.user_id,
    entity_type: null,
    aliases: [],
    summary: null,
    importance: null,
    first_seen: "",
    last_seen: "",
    evidence_n: community.members.nodes,
  };
}

/** Edges that represent several, keyed by both ends. */
class Ties {
  private readonly counts = new Map<string, { source: string; target: string; n: number }>();

  add(source: string, target: string, n: number): void {
    const tie = this.tie(source, target);
    tie.n += n;
  }

  atLeast(source: string, target: string, n: number): void {
    const tie = this.tie(source, target);
    tie.n = Math.max(tie.n, n);
  }

  edges(): GraphEdge[] {
    return [...this.counts.values()].sort((a, b) => b.n - a.n).map(({ source, target, n }) => tieEdge(source, target, n));
  }

  private tie(one: string, other: string): { source: string; target: string; n: number } {
    const [source, target] = one < other ? [one, other] : [other, one];
    const key = `${source} ${target}`;
    const known = this.counts.get(key) ?? { source, target, n: 0 };
    this.counts.set(key, known);
    return known;
  }
}

export function tieEdge(source: string, target: string, n: number): GraphEdge {
  return {
    id: `t:${source} ${target}`,
    source,
    target,
    predicate: TIES,
    relation: String(n),
    statement: null,
    user_id: "",
    strength: Math.min(1, Math.log2(n + 1) / 6),
    confidence: 1,
    first_seen: "",
    last_seen: "",
    valid_at: null,
    invalid_at: null,
    known_at: null,
    closing_known_at: null,
    category: null,
    evidence_n: n,
  };
}
