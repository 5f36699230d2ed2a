/** Fold the scenes of each person, what is only mentioned, and what is past, into badges, which open them in place. Pure. */

import { isClosed } from "../graph/facts";
import type { GraphNode } from "../protocol/frames";
import type { Shown } from "../view/filters";
import type { Point } from "./place";

/** Kind of a badge; it is only drawn, and no frame contains it. */
export const BADGE: string = "Scenes";
/** Kind of the badges of other things. */
export const MORE_BADGE: string = "More";
/** Distance of a badge above its person, in map units, where no line to a sector passes. */
const BADGE_ABOVE = 76;
const BADGE_BESIDE = 64;
const BADGE_BELOW = 62;

const PREFIX = "s:";
/** Fewer things stay as they are. */
const FOLD_FROM = 5;
/** What is folded beside scenes; a user id contains no space. */
export type Rest = "mentioned" | "past";

export function badgeId(user: string): string {
  return PREFIX + user;
}

/** @returns the user whose scenes a badge stands for, or the key of other folded things; null for the id of anything else. */
export function userOfBadge(id: string): string | null {
  return id.startsWith(PREFIX) ? id.slice(PREFIX.length) : null;
}

/**
 * Replace the scenes of each shown person by a badge; scenes that belong to nobody shown stay.
 *
 * @param open users whose scenes are shown.
 * @param kept scenes to show anyway, such as the selected one.
 * @param name the label of a user's badge: how many scenes are loaded, and whether they are shown.
 */
export function foldScenes(shown: Shown, open: ReadonlySet<string>, kept: ReadonlySet<string>, name: (user: string, n: number, isOpen: boolean) => string): Shown {
  const counts = new Map<string, number>();
  for (const node of shown.nodes.values()) if (node.kind === "User" && node.user_id !== null) counts.set(node.user_id, 0);
  for (const { kind, user_id: user } of shown.nodes.values()) {
    if (kind === "Scene" && user !== null && counts.has(user)) counts.set(user, (counts.get(user) ?? 0) + 1);
  }
  const isFolded = (node: GraphNode): boolean => node.kind === "Scene" && node.user_id !== null && counts.has(node.user_id) && !open.has(node.user_id) && !kept.has(node.id);
  const badges = [...counts].filter(([, n]) => n > 0).map(([user, n]) => aBadge(user, n, name(user, n, open.has(user))));
  if (badges.length === 0) return shown;
  const nodes = new Map([...[...shown.nodes.values()].filter((node) => !isFolded(node)), ...badges].map((node) => [node.id, node]));
  const edges = new Map([...shown.edges].filter(([, edge]) => nodes.has(edge.source) && nodes.has(edge.target)));
  return { nodes, edges };
}

/** Return where the badges of a person stand, beside the person where no sector reaches. */
export function badgeSpots(user: string, { x, y }: Point): [string, Point][] {
  return [
    [badgeId(user), { x, y: y - BADGE_ABOVE }],
    [badgeId(`${user} mentioned`), { x: x - BADGE_BESIDE, y: y + BADGE_BELOW }],
    [badgeId(`${user} past`), { x: x + BADGE_BESIDE, y: y + BADGE_BELOW }],
  ];
}

/** Return the things that no fact ties, and those that only ended facts tie. */
export function restOf({ nodes, edges }: Shown): Map<string, Rest> {
  const rest = new Map<string, Rest>([...nodes.values()].filter(({ kind }) => kind === "Entity").map(({ id }) => [id, "mentioned"]));
  for (const edge of edges.values()) {
    if (edge.predicate === "MENTIONED") continue;
    for (const id of [edge.source, edge.target]) {
      if (!isClosed(edge)) rest.delete(id);
      else if (rest.has(id)) rest.set(id, "past");
    }
  }
  return rest;
}

/**
 * Replace the things of each shown person that no fact ties, and those that only ended facts tie, by a badge each, if there are many.
 *
 * @param rest what `restOf` returns.
 * @param open keys of badges whose things are shown.
 * @param kept things to show anyway, such as the selected one.
 */
export function foldRest(shown: Shown, rest: ReadonlyMap<string, Rest>, open: ReadonlySet<string>, kept: ReadonlySet<string>, name: (rest: Rest, n: number, isOpen: boolean) => string): Shown {
  const users = new Set([...shown.nodes.values()].filter((node) => node.kind === "User").map((node) => node.user_id));
  const groups = new Map<string, string[]>();
  for (const [id, how] of rest) {
    const user = shown.nodes.get(id)?.user_id ?? "";
    if (kept.has(id) || !users.has(user)) continue;
    const key = `${user} ${how}`;
    groups.set(key, [...(groups.get(key) ?? []), id]);
  }
  const many = [...groups].filter(([, ids]) => ids.length >= FOLD_FROM);
  if (many.length === 0) return shown;
  const gone = new Set(many.flatMap(([key, ids]) => (open.has(key) ? [] : ids)));
  const nodes = new Map([...shown.nodes].filter(([id]) => !gone.has(id)));
  for (const [key, ids] of many) {
    const [user, how] = key.split(" ") as [string, Rest];
    const badge = aBadge(key, ids.length, name(how, ids.length, open.has(key)), MORE_BADGE, user);
    nodes.set(badge.id, badge);
  }
  return { nodes, edges: new Map([...shown.edges].filter(([, edge]) => nodes.has(edge.source) && nodes.has(edge.target))) };
}

function aBadge(key: string, n: number, label: string, kind = BADGE, user = key): GraphNode {
  return { id: badgeId(key), kind: kind as GraphNode["kind"], label, user_id: user, entity_type: null, aliases: [], summary: null, importance: null, first_seen: "", last_seen: "", evidence_n: n };
}
