/** Positions of all known nodes: restored from this browser, or laid out once; later nodes are added. */

import type { GraphState } from "../graph/reduce";
import type { GraphNode } from "../protocol/frames";
import type { KeyValues } from "../view/browserStorage";
import { badgeSpots, userOfBadge } from "./foldScenes";
import { SavedLayouts } from "./pins";
import { endedInSector, placeNew } from "./placeNew";
import { type Layout, Occupied, type Point, stretchFor } from "./place";
import { emptyFans, radialLayout, radialSteps, SCREEN } from "./radial";
import { loadPlaces, placesKey, savePlaces } from "./savedPlaces";
import { inSlices } from "./slices";

/** If fewer than this share of nodes has a stored position, lay out everything again. */
const KNOWN_SHARE = 0.5;
/** If the graph has grown by more than this factor since the layout, lay it out again at the next visit. */
const GROWTH_MAX = 1.6;
const HUB_GAP = 420;
const SAVE_AFTER_MS = 800;

/** The interface of positions to the canvas, however they are computed. */
export interface PlaceBook {
  readonly layout: Layout;
  /** Nodes that stay when everything else is arranged again. */
  readonly savedLayouts: SavedLayouts;
  /** The user moved the node. */
  move(id: string, point: Point): void;
  /** Apply another arrangement as a whole. */
  put(layout: Layout): void;
}

/** Share and number of nodes that were added since the last arrangement from which a new one is offered. */
const ADDED_SHARE = 0.6;
const ADDED_FROM = 20;

/** Return how many nodes were added since everything was arranged; 0 if they are too few for another arrangement. */
export function addedSince({ points, arranged }: Pick<Layout, "points" | "arranged">): number {
  const added = points.size - arranged;
  return arranged > 0 && added >= Math.max(ADDED_FROM, arranged * ADDED_SHARE) ? added : 0;
}

/** Removed nodes whose positions are remembered. */
const LEFT_MAX = 1_000;

export class Places implements PlaceBook {
  readonly savedLayouts: SavedLayouts;
  private held: Layout = { points: new Map(), sectors: [], arranged: 0 };
  /** The graph whose new nodes have no position yet. */
  private waiting: GraphState | null = null;
  private key = "";
  /** Changes with each whole arrangement, so that one which is being computed knows whether it is still wanted. */
  private arrangement = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** Where removed nodes were. */
  private readonly left = new Map<string, Point>();

  constructor(
    private readonly storage: KeyValues,
    private readonly tenant: string,
    /** Width by height of the canvas. */
    private readonly shape: () => number = () => SCREEN,
  ) {
    this.savedLayouts = new SavedLayouts(storage);
  }

  get layout(): Layout {
    const { waiting } = this;
    this.waiting = null;
    if (waiting) this.follow(waiting);
    return this.held;
  }

  /** Load the positions of one lens with its first snapshot. */
  open(user: string | null, state: GraphState): void {
    this.arrangement += 1;
    this.waiting = null;
    this.left.clear();
    this.key = placesKey(this.tenant, user);
    this.savedLayouts.open(this.key);
    const saved = loadPlaces(this.storage, this.key);
    const known = saved ? [...state.nodes.keys()].filter((id) => saved.points.has(id)).length : 0;
    const size = state.nodes.size;
    if (saved && known > 0 && known >= size * KNOWN_SHARE && size <= saved.arranged * GROWTH_MAX) {
      this.held = saved;
      this.extend(state);
    } else this.tidy(state);
  }

  /**
   * Place nodes without a position, and free the positions of removed ones, when positions are next read: while another
   * view is shown, nobody waits for them.
   */
  extend(state: GraphState): void {
    this.waiting = state;
    this.saveSoon();
  }

  private follow(state: GraphState): void {
    if (this.held.points.size === 0) {
      this.tidy(state);
      return;
    }
    this.forgetGone(state.nodes);
    this.leaveSectors(state);
    this.welcome(state);
    for (const [id, point] of placeNew(this.held, state.nodes, state.edges.values())) this.held.points.set(id, point);
    placeBadges(this.held.points, state.nodes);
    this.saveSoon();
  }

  /** Free the positions of removed nodes; one that was only read again returns to its own. */
  private forgetGone(nodes: ReadonlyMap<string, GraphNode>): void {
    const { points } = this.held;
    for (const [id, point] of this.left) {
      if (nodes.has(id) && !points.has(id)) points.set(id, point);
      if (nodes.has(id) || this.left.size > LEFT_MAX) this.left.delete(id);
    }
    for (const [id, point] of points) {
      if (nodes.has(id) || userOfBadge(id) !== null) continue;
      this.left.set(id, point);
      points.delete(id);
    }
  }

  /** Move things whose facts have ended out of their sector, which says something that no longer holds; pinned ones stay. */
  private leaveSectors(state: GraphState): void {
    for (const id of endedInSector(this.held, state.edges.values(), state.nodes)) if (!this.savedLayouts.pins.has(id)) this.held.points.delete(id);
  }

  /** Reserve room for new users, with sectors for their later facts. */
  private welcome(state: GraphState): void {
    const { points, sectors } = this.held;
    for (const node of state.nodes.values()) {
      if (node.kind !== "User" || points.has(node.id)) continue;
      const spot = new Occupied(HUB_GAP, points.values()).near({ x: 0, y: 0 });
      points.set(node.id, spot);
      sectors.push(...emptyFans(node.id, spot, stretchFor(this.shape())));
    }
  }

  /** Arrange everything again, except pinned nodes. */
  tidy(state: GraphState): void {
    this.adopt(radialLayout(state.nodes.values(), state.edges.values(), this.shape()), state);
  }

  /**
   * Arrange everything again on the user's request, as `tidy` does, in slices that leave the page responsive.
   *
   * @param now returns the graph, which may grow meanwhile.
   * @returns whether it was done: not if another arrangement came in between.
   */
  async tidyInSlices(now: () => GraphState): Promise<boolean> {
    const mine = (this.arrangement += 1);
    const state = now();
    const layout = await inSlices(radialSteps(state.nodes.values(), state.edges.values(), this.shape()), () => mine === this.arrangement);
    if (layout === null) return false;
    this.adopt(layout, state);
    if (now() !== state) this.extend(now());
    return true;
  }

  private adopt(layout: Layout, state: GraphState): void {
    const before = this.layout.points;
    this.held = layout;
    for (const id of this.savedLayouts.pins) {
      const point = before.get(id);
      if (point && this.layout.points.has(id)) this.layout.points.set(id, point);
    }
    placeBadges(this.layout.points, state.nodes);
    this.saveSoon();
  }

  move(id: string, point: Point): void {
    this.layout.points.set(id, { x: point.x, y: point.y });
    this.saveSoon();
  }

  put(layout: Layout): void {
    this.arrangement += 1;
    this.held = layout;
    this.saveSoon();
  }

  private saveSoon(): void {
    if (this.held.points.size === 0 && this.waiting === null) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => savePlaces(this.storage, this.key, this.layout), SAVE_AFTER_MS);
  }
}

/** Put the badges of each person beside the person. */
function placeBadges(points: Map<string, Point>, nodes: ReadonlyMap<string, GraphNode>): void {
  for (const { id, kind, user_id: user } of nodes.values()) {
    const at = points.get(id);
    if (kind === "User" && at) for (const [badge, spot] of badgeSpots(user, at)) if (!points.has(badge)) points.set(badge, spot);
  }
}
