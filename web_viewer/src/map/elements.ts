/** Update the main canvas to a new set of elements, changing only what differs. */

import type { Core, ElementDefinition } from "cytoscape";
import { isClosed } from "../graph/facts";
import { thingTypes } from "../graph/groups";
import type { GraphEdge, GraphNode } from "../protocol/frames";
import type { Shown } from "../view/filters";
import type { Point } from "./place";

const SURE = 0.5;
const PARALLEL_MAX = 800;

export interface NodeSize {
  w: number;
  h: number;
}

/** Return 26 to 44 units by the square root of the degree, so that an icon has room; users are always large. */
export function nodeSize(kind: string, degree: number): NodeSize {
  const size = Math.min(44, 22 + 4.5 * Math.sqrt(Math.max(1, degree)));
  if (kind === "User") return { w: 58, h: 58 };
  if (kind === "Scenes" || kind === "More") return { w: 32, h: 22 };
  if (kind === "Scene") return { w: Math.max(22, size), h: Math.max(15, size * 0.68) };
  return { w: size, h: size };
}

const SPAN: Record<string, number> = { RELATES_TO: 1.6, MENTIONED: 0.8, CAUSED_BY: 0.8 };

/** Return 1 to 5 units by the strength; bundled edges, mentions and causes are thin, since they are many or long. */
export function edgeWidth(predicate: string, strength: number): number {
  return 1 + (SPAN[predicate] ?? 4) * Math.min(1, Math.max(0, strength));
}

function edgeClasses(edge: GraphEdge, parallel: boolean): string {
  const names = [];
  if (isClosed(edge)) names.push("closed");
  if (edge.confidence < SURE) names.push("unsure");
  if (parallel) names.push("parallel");
  return names.join(" ");
}

/** Return a key that is the same for both directions. */
export function pairKey(edge: GraphEdge): string {
  return edge.source < edge.target ? `${edge.source} ${edge.target}` : `${edge.target} ${edge.source}`;
}

/** Colours and sizes of nodes that override those of their kind. */
export interface Finish {
  /** A colour that replaces the kind's. */
  tint(id: string): string | null;
  /** Width and height in map units that replace those by degree. */
  size(id: string): number | null;
}

export const PLAIN: Finish = { tint: () => null, size: () => null };

/** The contents of the main canvas, so that an update costs what changed. */
export class Elements {
  private nodes: ReadonlyMap<string, GraphNode> = new Map();
  private edges: ReadonlyMap<string, GraphEdge> = new Map();
  private finish: Finish = PLAIN;
  private looks = new Map<string, string>();
  degrees: ReadonlyMap<string, number> = new Map();
  /** Number of valid facts of each node. */
  facts: ReadonlyMap<string, number> = new Map();
  /** What each thing is drawn as. */
  types: ReadonlyMap<string, string> = new Map();

  constructor(private readonly cy: Core) {}

  /** @returns whether anything differed. */
  commit(shown: Shown, points: ReadonlyMap<string, Point>, finish: Finish = PLAIN): boolean {
    if (shown.nodes === this.nodes && shown.edges === this.edges && finish === this.finish) return false;
    const looks = new Map<string, string>();
    const { degrees, facts, pairs } = tally(shown);
    this.types = thingTypes(shown);
    this.cy.batch(() => {
      this.removeGone(shown);
      const added = [...this.putNodes(shown, points, degrees, looks, finish), ...this.putEdges(shown, pairs, looks)];
      if (added.length > 0) this.cy.add(added);
    });
    this.nodes = shown.nodes;
    this.edges = shown.edges;
    this.finish = finish;
    this.looks = looks;
    this.degrees = degrees;
    this.facts = facts;
    return true;
  }

  private removeGone(shown: Shown): void {
    for (const id of this.edges.keys()) if (!shown.edges.has(id)) this.cy.getElementById(id).remove();
    for (const id of this.nodes.keys()) if (!shown.nodes.has(id)) this.cy.getElementById(id).remove();
  }

  private putNodes(shown: Shown, points: ReadonlyMap<string, Point>, degrees: ReadonlyMap<string, number>, looks: Map<string, string>, finish: Finish): ElementDefinition[] {
    const added: ElementDefinition[] = [];
    for (const node of shown.nodes.values()) {
      const own = finish.size(node.id);
      const size = own === null ? nodeSize(node.kind, degrees.get(node.id) ?? 0) : { w: own, h: own };
      const tint = finish.tint(node.id);
      const type = this.types.get(node.id) ?? "";
      const look = `${size.w} ${node.kind} ${type} ${tint}`;
      looks.set(node.id, look);
      const data = { id: node.id, kind: node.kind, type, user: node.user_id, ...size, ...(tint === null ? {} : { tint }) };
      if (!this.nodes.has(node.id)) added.push({ group: "nodes", data, position: { ...(points.get(node.id) ?? { x: 0, y: 0 }) } });
      else {
        const drawn = this.cy.getElementById(node.id);
        if (this.looks.get(node.id) !== look) drawn.removeData("tint").data(data);
        const [is, at] = [drawn.position(), points.get(node.id)];
        if (at && (is.x !== at.x || is.y !== at.y)) drawn.position({ ...at });
      }
    }
    return added;
  }

  private putEdges(shown: Shown, pairs: ReadonlyMap<string, number>, looks: Map<string, string>): ElementDefinition[] {
    const added: ElementDefinition[] = [];
    const size = shown.nodes.size + shown.edges.size;
    for (const edge of shown.edges.values()) {
      const parallel = size <= PARALLEL_MAX && (pairs.get(pairKey(edge)) ?? 1) > 1;
      const classes = edgeClasses(edge, parallel);
      const data = { id: edge.id, source: edge.source, target: edge.target, predicate: edge.predicate, w: edgeWidth(edge.predicate, edge.strength) };
      const look = `${data.source} ${data.target} ${data.predicate} ${data.w} ${classes}`;
      looks.set(edge.id, look);
      if (this.edges.has(edge.id) && this.looks.get(edge.id) === look) continue;
      // A drawn edge cannot change its ends; replacing it is rare enough to do for every change.
      if (this.edges.has(edge.id)) this.cy.getElementById(edge.id).remove();
      added.push({ group: "edges", data, classes });
    }
    return added;
  }
}

function tally(shown: Shown): { degrees: Map<string, number>; facts: Map<string, number>; pairs: Map<string, number> } {
  const degrees = new Map<string, number>();
  const facts = new Map<string, number>();
  const pairs = new Map<string, number>();
  for (const edge of shown.edges.values()) {
    degrees.set(edge.source, (degrees.get(edge.source) ?? 0) + 1);
    degrees.set(edge.target, (degrees.get(edge.target) ?? 0) + 1);
    pairs.set(pairKey(edge), (pairs.get(pairKey(edge)) ?? 0) + 1);
    if (edge.predicate === "MENTIONED" || isClosed(edge)) continue;
    for (const id of [edge.source, edge.target]) facts.set(id, (facts.get(id) ?? 0) + 1);
  }
  return { degrees, facts, pairs };
}
