/** Highlights on the map (selection, search hits, hover), and how much they raise a label's priority. */

import type { CollectionReturnValue, Core, SingularElementArgument } from "cytoscape";
import type { GraphEdge, GraphNode } from "../protocol/frames";
import { BADGE, MORE_BADGE } from "./foldScenes";
import type { LabelledNode } from "./paintLabels";
import type { Point } from "./place";

export interface Marks {
  selected: string | null;
  cursor: string | null;
  /** Search hits; null without a search. */
  matches: ReadonlySet<string> | null;
  fresh: ReadonlySet<string>;
  /** Selections of other viewers, with the index of their colour. */
  others: ReadonlyMap<string, number>;
  /** Elements on the shown path; null without one. */
  trail: ReadonlySet<string> | null;
  /** What a question recalled, with the ranks of the hits; null if none is shown. */
  recalled: ReadonlyMap<string, readonly number[]> | null;
  /** What the selection may be merged with. */
  partner: string | null;
  /** What has arrived since the question is shown, which is not part of what it leaves out. */
  arrived: ReadonlySet<string>;
}

/** Return whether two sets of marks need the same classes and labels; what is new and what others select is only drawn. */
export function pointsOutSame(a: Marks, b: Marks): boolean {
  return a.selected === b.selected && a.cursor === b.cursor && a.matches === b.matches && a.trail === b.trail && a.recalled === b.recalled && a.partner === b.partner && a.arrived === b.arrived;
}

/** Width of the ring around the keyboard cursor and what a question recalled, in pixels. */
const RING_PX = 8;
/** Zoomed out further, the labels of badges would cover others. */
const BADGE_LABEL_ZOOM = 0.25;
/** With more elements than this, hovering highlights neighbours without dimming the others. */
const DIM_MAX = 2_000;

/** Set the classes `sel`, `lit`, `dim` and `trail`; elements whose classes stay are not styled and drawn anew. */
export function pointOut(cy: Core, marks: Marks, hovered: string | null): void {
  const { matches, recalled, selected } = marks;
  const trail = marks.trail ?? (recalled === null ? null : new Set(recalled.keys()));
  const element = cy.getElementById(hovered ?? selected ?? "");
  const around = element.empty() || (trail && hovered === null) ? null : new Set(neighbourhood(cy, element).map((one) => one.id()));
  const dimsOthers = around !== null && !matches && !trail && cy.elements().length <= DIM_MAX;
  const isFaint = (one: SingularElementArgument): boolean => (matches !== null && !isMatch(one, matches)) || (trail !== null && !trail.has(one.id())) || dimsOthers;
  const wanted: Record<string, (one: SingularElementArgument) => boolean> = {
    sel: (one) => one.id() === selected,
    trail: (one) => trail?.has(one.id()) ?? false,
    lit: (one) => one.id() === marks.partner || (around?.has(one.id()) ?? false) || (trail?.has(one.id()) ?? false),
    dim: (one) => one.id() !== marks.partner && !marks.arrived.has(one.id()) && !around?.has(one.id()) && isFaint(one),
  };
  cy.batch(() => {
    for (const [name, has] of Object.entries(wanted)) cy.elements().filter((one) => one.hasClass(name) !== has(one)).toggleClass(name);
  });
}

/** Return an element with what is around it; around a badge are its person and the scenes that it opened. */
function neighbourhood(cy: Core, element: CollectionReturnValue): CollectionReturnValue {
  if (element.data("kind") !== BADGE) return element.closedNeighborhood().union(element.connectedNodes());
  const scenes = cy.nodes().filter((node) => node.data("kind") === "Scene" && node.data("user") === element.data("user"));
  return element.union(scenes.closedNeighborhood()).union(cy.nodes().filter((node) => node.data("kind") === "User" && node.data("user") === element.data("user")));
}

/** Return whether an element is a search hit, or a link of one. */
function isMatch(one: SingularElementArgument, matches: ReadonlySet<string>): boolean {
  return [one.id(), one.data("source") as string, one.data("target") as string].some((id) => matches.has(id));
}

export interface LabelScene {
  cy: Core;
  nodes: ReadonlyMap<string, GraphNode>;
  edges: ReadonlyMap<string, GraphEdge>;
  points: ReadonlyMap<string, Point>;
  /** Number of valid facts of each node. */
  facts: ReadonlyMap<string, number>;
  marks: Marks;
  hovered: string | null;
}

/** Return how far below each node its neighbours are on average, so that its label stands clear of its lines. */
export function neighboursBelow({ edges, points }: Pick<LabelScene, "edges" | "points">): Map<string, number> {
  const below = new Map<string, number>();
  for (const { source, target } of edges.values()) {
    const [from, to] = [points.get(source), points.get(target)];
    if (!from || !to) continue;
    below.set(source, (below.get(source) ?? 0) + to.y - from.y);
    below.set(target, (below.get(target) ?? 0) + from.y - to.y);
  }
  return below;
}

/** Rank selected, then search hits, neighbours, users with their badges, objects of facts by number of facts, then what is only mentioned; scenes last. */
export function labelled(scene: LabelScene): LabelledNode[] {
  const { cy, nodes, points, facts, marks, hovered } = scene;
  const found: LabelledNode[] = [];
  const below = neighboursBelow(scene);
  for (const node of nodes.values()) {
    const at = points.get(node.id);
    const drawn = cy.getElementById(node.id);
    if (!at || drawn.empty()) continue;
    const isUser = node.kind === "User";
    const isBadge = node.kind === BADGE;
    const isMore = node.kind === MORE_BADGE;
    const isScene = node.kind === "Scene";
    const pointed = node.id === marks.selected || node.id === marks.cursor || node.id === marks.partner || node.id === hovered;
    const lit = drawn.hasClass("lit");
    const told = facts.get(node.id) ?? 0;
    const steps = [!isScene, told > 0, isUser || isBadge || isMore, lit, (marks.matches ?? marks.trail ?? marks.recalled)?.has(node.id) ?? false, pointed];
    const rank = steps.reduce((sum, step, index) => sum + Number(step) * 1_000 * 2 ** index, told);
    // Labels stand outside of rings.
    const ring = marks.recalled?.has(node.id) || node.id === marks.cursor ? (2 * RING_PX) / cy.zoom() : 0;
    const size = { w: (drawn.data("w") as number) + ring, h: (drawn.data("h") as number) + ring };
    // Of “+9 only mentioned” the number has room nearly everywhere.
    const short = isMore ? { short: node.label.split(" ")[0] } : {};
    found.push({ id: node.id, label: node.label, ...short, at, size, rank, forced: pointed || isUser || (isBadge && cy.zoom() > BADGE_LABEL_ZOOM && !drawn.hasClass("dim")), lit, strong: isUser, faint: isScene, above: isBadge || (!isUser && (below.get(node.id) ?? 0) > 0) });
  }
  return found;
}
