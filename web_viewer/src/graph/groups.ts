/** The groups of the facts around a person, on which map, list, lens and export agree; `schema/groups.toml` defines them. */

import { isClosed } from "./facts";
import type { GraphEdge, GraphNode } from "../protocol/frames";
import { GROUPS, PREDICATES } from "../protocol/vocabulary";

export type GroupKey = "likes" | "cares" | "people" | "work" | "places" | "events" | "has" | "avoids" | "dislikes";

/** Clockwise from the top of the map. */
export const GROUP_ORDER = Object.keys(GROUPS) as GroupKey[];

type Naming = "relations" | "categories" | "types";
const groupsBy = (naming: Naming): Map<string, GroupKey> => new Map(GROUP_ORDER.flatMap((key) => (GROUPS[key]?.[naming] ?? []).map((phrase) => [phrase, key])));
const BY = { relations: groupsBy("relations"), categories: groupsBy("categories"), types: groupsBy("types") };
const REST: GroupKey = "has";
const AVOIDED = new RegExp((GROUPS.avoids?.said ?? []).join("|"), "i");

/** Return the group of a fact around a person. @param thing its other end. */
export function groupOf(fact: Pick<GraphEdge, "predicate" | "relation" | "statement" | "category">, thing?: Pick<GraphNode, "entity_type">): GroupKey {
  const sector = PREDICATES[fact.predicate]?.sector ?? "linked";
  if (sector === "dislikes" && AVOIDED.test(fact.statement ?? "")) return "avoids";
  if (sector !== "linked") return sector as GroupKey;
  const relation = (fact.relation ?? "").toLowerCase();
  const { relations, categories, types } = BY;
  return relations.get(relation) ?? relations.get(relation.slice(relation.lastIndexOf(" ") + 1)) ?? categories.get(fact.category ?? "") ?? types.get(thing?.entity_type ?? "") ?? REST;
}

/** Return the group of a fact about a user or an agent; null for one about things, and for mentions. */
export function groupAt(edge: GraphEdge, nodes: ReadonlyMap<string, GraphNode>): GroupKey | null {
  if (PREDICATES[edge.predicate]?.fact === false) return null;
  const isPerson = (id: string): boolean => ["User", "Agent"].includes(nodes.get(id)?.kind ?? "");
  return isPerson(edge.source) ? groupOf(edge, nodes.get(edge.target)) : isPerson(edge.target) ? groupOf(edge, nodes.get(edge.source)) : null;
}

/**
 * Return what each thing is drawn as: its type, but a person where a fact says that it is somebody's friend or relative, and
 * `avoid` for what somebody must avoid.
 */
export function thingTypes({ nodes, edges }: { nodes: ReadonlyMap<string, GraphNode>; edges: ReadonlyMap<string, GraphEdge> }): Map<string, string> {
  const types = new Map<string, string>();
  for (const { id, kind, entity_type: type } of nodes.values()) if (kind === "Entity") types.set(id, type ?? "thing");
  for (const edge of edges.values()) {
    const group = isClosed(edge) ? null : groupAt(edge, nodes);
    if (group !== "people" && group !== "avoids") continue;
    for (const id of [edge.source, edge.target]) if (types.has(id) && types.get(id) !== "avoid") types.set(id, group === "people" ? "person" : "avoid");
  }
  return types;
}
