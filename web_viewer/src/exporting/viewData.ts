/** Export the view as data: JSON for programs, GraphML for Gephi, networkx and yEd. Pure. */

import type { Point } from "../map/place";
import type { Count, GraphEdge, GraphNode } from "../protocol/frames";
import type { Shown } from "../view/filters";
import { element, escapeXml, GRAPHML_NAMESPACE } from "./xml";

/** Most elements in a file, so that it fits into the memory of a page. */
export const DATA_MAX = 20_000;

/** The filters and times of the view, so that a file says what it leaves out. */
export interface ViewSettings {
  at: string;
  address: string;
  tenant: string;
  user: string | null;
  epoch: string | null;
  seq: number;
  hidden: string[];
  sure: number;
  around: string | null;
  validAt: string | null;
  asOf: string | null;
  /** Totals of the whole memory. */
  total: Count;
}

export interface ViewData {
  nodes: (GraphNode & Partial<Point>)[];
  edges: GraphEdge[];
  /** Number of elements left out because of `DATA_MAX`. */
  leftOut: Count;
}

export function viewData(shown: Shown, points: ReadonlyMap<string, Point>, most: number = DATA_MAX): ViewData {
  const kept = [...shown.nodes.values()].slice(0, most);
  const known = new Set(kept.map((node) => node.id));
  const both = [...shown.edges.values()].filter((edge) => known.has(edge.source) && known.has(edge.target));
  const edges = both.slice(0, most - kept.length);
  return {
    nodes: kept.map((node) => ({ ...node, ...rounded(points.get(node.id)) })),
    edges: edges.map(({ previous: _, ...edge }) => edge),
    leftOut: { nodes: shown.nodes.size - kept.length, edges: shown.edges.size - edges.length },
  };
}

export function viewJson(view: ViewData, viewSettings: ViewSettings): string {
  const { at, address, tenant, user, epoch, seq, total, ...filters } = viewSettings;
  const head = { format: "mnemoscene-view", version: 1, exported_at: at, address, tenant, user, epoch, seq, filters, total, left_out: view.leftOut };
  return `${JSON.stringify({ ...head, nodes: view.nodes, edges: view.edges }, null, 1)}\n`;
}

type Kind = "string" | "long" | "double";
const NODE_KEYS: Record<string, Kind> = {
  label: "string", kind: "string", user_id: "string", entity_type: "string", aliases: "string", summary: "string",
  importance: "long", first_seen: "string", last_seen: "string", evidence_n: "long", x: "double", y: "double",
};
const EDGE_KEYS: Record<string, Kind> = {
  label: "string", predicate: "string", weight: "double", relation: "string", statement: "string", strength: "double", confidence: "double", category: "string",
  first_seen: "string", last_seen: "string", valid_at: "string", invalid_at: "string", known_at: "string", closing_known_at: "string", evidence_n: "long",
};

export function viewGraphml(view: ViewData): string {
  const lines = ['<?xml version="1.0" encoding="UTF-8"?>', `<graphml xmlns="${GRAPHML_NAMESPACE}">`];
  for (const [domain, keys] of [["node", NODE_KEYS], ["edge", EDGE_KEYS]] as const) {
    for (const [name, kind] of Object.entries(keys)) lines.push(element("key", { id: `${domain}.${name}`, for: domain, "attr.name": name, "attr.type": kind }));
  }
  lines.push('<graph id="view" edgedefault="directed">');
  for (const node of view.nodes) lines.push(element("node", { id: node.id }, written("node", NODE_KEYS, { ...node })));
  for (const edge of view.edges) {
    // Gephi shows `label` and draws by `weight`.
    const values = { ...edge, label: edge.relation ?? edge.predicate, weight: edge.strength };
    lines.push(element("edge", { id: edge.id, source: edge.source, target: edge.target }, written("edge", EDGE_KEYS, values)));
  }
  return `${[...lines, "</graph>", "</graphml>"].join("\n")}\n`;
}

function written(domain: string, keys: Record<string, Kind>, values: Record<string, unknown>): string {
  return Object.keys(keys)
    .map((name) => [name, plain(values[name])] as const)
    .filter(([, text]) => text !== null)
    .map(([name, text]) => `<data key="${domain}.${name}">${escapeXml(text as string)}</data>`)
    .join("");
}

/** @returns null if there is no value. */
function plain(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) return value.length > 0 ? JSON.stringify(value) : null;
  return String(value);
}

function rounded(point: Point | undefined): Partial<Point> {
  return point ? { x: Math.round(point.x), y: Math.round(point.y) } : {};
}
