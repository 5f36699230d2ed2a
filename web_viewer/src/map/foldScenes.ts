/** Fold the scenes of each person into one badge, which opens them on demand. Pure. */

import type { GraphNode } from "../protocol/frames";
import type { Shown } from "../view/filters";

/** Kind of a badge; it is only drawn, and no frame contains it. */
export const BADGE: string = "Scenes";
/** Distance of a badge above its person, in map units, where no line to a sector passes. */
export const BADGE_ABOVE = 76;

const PREFIX = "s:";

export function badgeId(user: string): string {
  return PREFIX + user;
}

/** @returns the user whose scenes a badge stands for; null for the id of anything else. */
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

function aBadge(user: string, n: number, label: string): GraphNode {
  return { id: badgeId(user), kind: BADGE as GraphNode["kind"], label, user_id: user, entity_type: null, aliases: [], summary: null, importance: null, first_seen: "", last_seen: "", evidence_n: n };
}
