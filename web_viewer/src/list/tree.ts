/** Rows of the list view: the graph as a tree of kind, node and predicate. */

import { byStanding, factSentence, isClosed, PREDICATE_ORDER } from "../graph/facts";
import { GROUP_ORDER, groupAt } from "../graph/groups";
import type { Words } from "../i18n/words";
import type { GraphEdge, GraphNode } from "../protocol/frames";
import type { MapTotals } from "../protocol/generated";
import { PREDICATES } from "../protocol/vocabulary";
import type { Shown } from "../view/filters";
import { factTotals } from "../view/totals";

export interface Row {
  /** Stable across updates. */
  key: string;
  depth: 0 | 1 | 2;
  label: string;
  /** The element that a click selects. */
  id: string | null;
  kind: string | null;
  predicate: string | null;
  edge: GraphEdge | null;
  closed: boolean;
  /** Number of child rows; null for a leaf. */
  children: number | null;
  /** Number of valid facts in a group; null for other rows. */
  valid: number | null;
  /** Number of valid facts of the group in the whole memory, if that is more. */
  whole: number | null;
  lastSeen: string | null;
}

const KIND_RANK = ["User", "Agent", "Entity", "Scene"];

/**
 * Return rows such that every shown element is in at least one, except in collapsed branches.
 *
 * @param wholes the totals of a memory of which a part is loaded.
 */
export function listRows(shown: Shown, words: Words, closed: ReadonlySet<string>, wholes: MapTotals | null = null): Row[] {
  const outgoing = new Map<string, GraphEdge[]>();
  const reached = new Set<string>();
  for (const edge of shown.edges.values()) {
    const list = outgoing.get(edge.source);
    if (list) list.push(edge);
    else outgoing.set(edge.source, [edge]);
    reached.add(edge.target);
  }
  const rows: Row[] = [];
  const alone: GraphNode[] = [];
  for (const node of [...shown.nodes.values()].sort(byKind)) {
    const edges = outgoing.get(node.id);
    if (edges || node.kind === "User") addBranch(rows, node, edges ?? [], shown, words, closed, wholes);
    else if (!reached.has(node.id)) alone.push(node);
  }
  addAlone(rows, alone, words, closed);
  return rows;
}

/** Return the row of a selected element, or of a fact about it; null if it is not in the list. */
export function rowOf(rows: readonly Row[], id: string): Row | null {
  return rows.find((row) => row.id === id) ?? rows.find((row) => row.edge?.target === id) ?? null;
}

function byKind(a: GraphNode, b: GraphNode): number {
  const rank = (node: GraphNode): number => (KIND_RANK.indexOf(node.kind) + 1 || 99);
  const newestScene = a.kind === "Scene" && b.kind === "Scene" ? b.last_seen.localeCompare(a.last_seen) : 0;
  return rank(a) - rank(b) || newestScene || a.label.localeCompare(b.label) || (a.id < b.id ? -1 : 1);
}

function addBranch(rows: Row[], node: GraphNode, edges: GraphEdge[], shown: Shown, words: Words, closed: ReadonlySet<string>, wholes: MapTotals | null): void {
  const groups = new Map<string, GraphEdge[]>();
  for (const edge of edges) {
    const name = headOf(edge, shown.nodes);
    groups.set(name, [...(groups.get(name) ?? []), edge]);
  }
  rows.push({ ...nodeRow(node, 0, node.id), children: groups.size });
  if (closed.has(node.id)) return;
  const totals = wholes === null || node.kind === "Entity" || node.kind === "Scene" ? null : factTotals(wholes, node.id, headOf);
  for (const name of [...groups.keys()].sort((a, b) => headRank(a) - headRank(b) || (a < b ? -1 : 1))) {
    const members = groups.get(name) ?? [];
    const valid = members.filter((edge) => !isClosed(edge)).length;
    const whole = totals?.get(name) ?? valid;
    const key = `${node.id}/${name}`;
    rows.push({ ...groupRow(key, PREDICATES[name] ? words.predicate(name) : words.group(name), members.length), predicate: members[0]?.predicate ?? name, valid, whole: whole > valid ? whole : null });
    if (closed.has(key)) continue;
    for (const edge of members.sort(byStanding)) rows.push(factRow(edge, shown, words));
  }
}

/** Return what a fact is listed under: its predicate, or its group where that says more. */
function headOf(edge: GraphEdge, nodes: Shown["nodes"]): string {
  const group = groupAt(edge, nodes);
  return group === null || PREDICATES[edge.predicate]?.sector === group ? edge.predicate : group;
}

/** Predicates in their order, with the groups after the last predicate that names its own. */
function headRank(name: string): number {
  const at = (GROUP_ORDER as readonly string[]).indexOf(name);
  if (at >= 0) return PREDICATE_ORDER.indexOf("CARES_ABOUT") + (at + 1) / 10;
  return PREDICATE_ORDER.indexOf(name) + 1 ? PREDICATE_ORDER.indexOf(name) : 99;
}

function addAlone(rows: Row[], nodes: GraphNode[], words: Words, closed: ReadonlySet<string>): void {
  if (nodes.length === 0) return;
  rows.push({ ...groupRow("alone", words.t("list.alone"), nodes.length), depth: 0 });
  if (closed.has("alone")) return;
  for (const node of nodes) rows.push(nodeRow(node, 1, `alone/${node.id}`));
}

function nodeRow(node: GraphNode, depth: 0 | 1, key: string): Row {
  return {
    key,
    depth,
    label: node.label,
    id: node.id,
    kind: node.kind,
    predicate: null,
    edge: null,
    closed: false,
    children: null,
    valid: null,
    whole: null,
    lastSeen: node.last_seen,
  };
}

function groupRow(key: string, label: string, children: number): Row {
  return { key, depth: 1, label, id: null, kind: null, predicate: null, edge: null, closed: false, children, valid: children, whole: null, lastSeen: null };
}

function factRow(edge: GraphEdge, shown: Shown, words: Words): Row {
  const target = shown.nodes.get(edge.target);
  const label = target?.label ?? "…";
  return {
    key: edge.id,
    depth: 2,
    label: edge.predicate === "RELATES_TO" || edge.predicate === "CAUSED_BY" ? factSentence(edge, (id) => shown.nodes.get(id)?.label, words) : label,
    id: edge.id,
    kind: target?.kind ?? null,
    predicate: edge.predicate,
    edge,
    closed: isClosed(edge),
    children: null,
    valid: null,
    whole: null,
    lastSeen: edge.last_seen,
  };
}
