/** A small memory as a plain graph of people and things, without scenes, and its topics. Pure. */

import { isClosed } from "../graph/facts";
import { cellsOf } from "../map/labels";
import type { Words } from "../i18n/words";
import type { GraphNode } from "../protocol/frames";
import type { CommunityMap } from "../protocol/generated";
import { groupAt } from "../graph/groups";
import type { Shown } from "../view/filters";
import type { Pull } from "./forceLayout";

/** Above this number of people and things, communities are folded instead. */
export const PLAIN_MAX = 1_000;
/** Smaller communities are no topic: their things have no colour of their own. */
export const TOPIC_MIN = 5;
const TOGETHER_WEIGHT = 0.12;
/** Scenes that mention more tell little about what belongs together. */
const TOGETHER_MAX = 8;
const NAMES = 2;
const TELLING_WORDS_MAX = 3;
const TELLING_CELLS_MAX = 28;

/** Return people and things with the facts between them. */
export function plainNet(shown: Shown): Shown {
  const nodes = new Map([...shown.nodes].filter(([, node]) => node.kind !== "Scene"));
  const edges = new Map([...shown.edges].filter(([, edge]) => edge.predicate !== "MENTIONED" && nodes.has(edge.source) && nodes.has(edge.target)));
  return { nodes, edges };
}

/** Return what draws nodes together: facts, and weakly that one scene mentions both. */
export function pullsOf(shown: Shown): Pull[] {
  const pulls: Pull[] = [];
  const mentioned = new Map<string, string[]>();
  const isThing = (id: string): boolean => ["Entity", "Agent"].includes(shown.nodes.get(id)?.kind ?? "");
  for (const edge of shown.edges.values()) {
    if (edge.predicate !== "MENTIONED") {
      const ends = [shown.nodes.get(edge.source), shown.nodes.get(edge.target)];
      if (ends.every((node) => node && node.kind !== "Scene")) pulls.push({ source: edge.source, target: edge.target, weight: 1 });
    } else if (isThing(edge.target)) mentioned.set(edge.source, [...(mentioned.get(edge.source) ?? []), edge.target]);
  }
  for (const things of mentioned.values()) {
    if (things.length > TOGETHER_MAX) continue;
    for (let index = 1; index < things.length; index += 1) pulls.push({ source: things[0] as string, target: things[index] as string, weight: TOGETHER_WEIGHT });
  }
  return pulls;
}

export interface Topic {
  id: string;
  name: string;
  members: string[];
  /** Index into the community colours. */
  hue: number;
}

/** Return the communities of enough things, largest first, each with its name and colour. */
export function topicsOf(net: Shown, map: CommunityMap, hues: number, words: Words): Topic[] {
  const members = new Map<string, string[]>();
  for (const id of net.nodes.keys()) {
    const community = map.community_of[id];
    if (community !== undefined) members.set(community, [...(members.get(community) ?? []), id]);
  }
  const large = [...members].filter(([, ids]) => ids.length >= TOPIC_MIN).sort((a, b) => b[1].length - a[1].length || (a[0] < b[0] ? -1 : 1));
  return large.map(([id, ids], index) => ({ id, name: topicName(ids, net, words), members: ids, hue: index % hues }));
}

/** Return what most members have in common (the group of their facts, else their type), with the leading names. */
export function topicName(ids: readonly string[], net: Shown, words: Words): string {
  const inside = new Set(ids);
  const degrees = new Map<string, number>();
  const groups: string[] = [];
  for (const edge of net.edges.values()) {
    if (isClosed(edge)) continue;
    for (const id of [edge.source, edge.target]) if (inside.has(id)) degrees.set(id, (degrees.get(id) ?? 0) + 1);
    const group = inside.has(edge.target) ? groupAt(edge, net.nodes) : null;
    if (group !== null) groups.push(group);
  }
  const nodes = ids.map((id) => net.nodes.get(id)).filter((node) => node !== undefined);
  const group = most(groups);
  const type = most(nodes.map((node) => node.entity_type).filter((one) => one !== null && one !== "thing"), ids.length);
  const topic = group !== null ? words.group(group) : type !== null ? words.typeOf(type) : null;
  const rank = (node: GraphNode): number => degrees.get(node.id) ?? 0;
  const things = nodes.filter((node) => isTelling(node.label));
  const names = (things.length > 0 ? things : nodes).sort((a, b) => rank(b) - rank(a) || b.evidence_n - a.evidence_n || (a.id < b.id ? -1 : 1)).slice(0, NAMES);
  const listed = words.list(names.map((node) => node.label));
  return topic === null ? listed : words.t("net.topic", { topic: topic.charAt(0).toUpperCase() + topic.slice(1), names: listed });
}

/** Longer names are sentences in part, and do not say what a topic is about. */
function isTelling(name: string): boolean {
  return name.split(" ").length <= TELLING_WORDS_MAX && cellsOf(name) <= TELLING_CELLS_MAX;
}

/** Return the value of at least half of all; null if there is none. */
function most(values: readonly (string | null)[], of = values.length): string | null {
  const counts = new Map<string, number>();
  for (const value of values) if (value !== null) counts.set(value, (counts.get(value) ?? 0) + 1);
  const [best] = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  return best && best[1] * 2 >= of ? best[0] : null;
}

/** Return the person that each node belongs to, by user id; things of nobody shown belong together. */
export function personOf(node: GraphNode | undefined): string {
  return node?.user_id ?? "";
}
