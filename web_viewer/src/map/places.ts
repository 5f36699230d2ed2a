/** Positions of all known nodes: those that the service stores, or laid out once and stored there; later nodes are added. */

import type { GraphState } from "../graph/reduce";
import { GROUP_ORDER } from "../graph/groups";
import type { GraphNode } from "../protocol/frames";
import type { KeyValues } from "../view/browserStorage";
import { badgeSpots, userOfBadge } from "./foldScenes";
import { SavedLayouts } from "./pins";
import { endedInSector, placeNew } from "./placeNew";
import { type Layout, Occupied, type Point, type Sector, STRETCH, stretchFor } from "./place";
import { emptyFans, radialLayout, radialSteps, SCREEN } from "./radial";
import { type Place, SharedPlaces } from "./sharedPlaces";
import { inSlices } from "./slices";

/** If fewer than this share of nodes has a stored position, lay out everything again. */
export const KNOWN_SHARE = 0.5;
const HUB_GAP = 420;

/** The interface of positions to the canvas, however they are computed. */
export interface PlaceBook {
  readonly layout: Layout;
  /** Nodes that stay when everything else is arranged again, and named arrangements. */
  readonly savedLayouts: SavedLayouts;
  /** The user moves the node. */
  move(id: string, point: Point): void;
  /** Let the node stay when everything else is arranged again, or no longer. */
  pin(id: string, on: boolean): void;
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

/** What the service stores of a person before its sectors: x, y, pinned, `arranged`, and the middle and stretch of the sectors. */
const BEFORE_SECTORS = 7;
const OF_A_SECTOR = 4;
/** Positions are stored in whole map units. */
export const SAME = 1;

export class Places implements PlaceBook {
  readonly savedLayouts: SavedLayouts;
  /** Called with the nodes that another viewer moved; `whole` if sectors changed too. */
  onMoved: (ids: readonly string[], whole: boolean) => void = () => undefined;
  private held: Layout = { points: new Map(), sectors: [], arranged: 0 };
  /** The graph whose new nodes have no position yet. */
  private waiting: GraphState | null = null;
  /** The nodes of this map have arrived. */
  private opened = false;
  /** Changes with each whole arrangement, so that one which is being computed knows whether it is still wanted. */
  private arrangement = 0;

  constructor(
    storage: KeyValues,
    private readonly tenant: string,
    /** Width by height of the canvas. */
    private readonly shape: () => number = () => SCREEN,
    private readonly shared = new SharedPlaces("map"),
  ) {
    this.savedLayouts = new SavedLayouts(storage);
    shared.attach((id) => this.placeOf(id), (ids) => this.showStored(ids));
    this.expect(null);
  }

  get layout(): Layout {
    const { waiting } = this;
    this.waiting = null;
    if (waiting) this.follow(waiting);
    return this.held;
  }

  /** Positions as the service stores them, for the copy of the map in this browser. */
  get rows(): [string, Place][] {
    return [...this.held.points.keys()].flatMap((id) => {
      const place = this.placeOf(id);
      return place === null ? [] : [[id, place] as [string, Place]];
    });
  }

  /** Begin with the map of a user, or of everybody, before its positions and nodes arrive. */
  expect(user: string | null): void {
    this.shared.open(user);
    this.opened = false;
    this.waiting = null;
    this.held = { points: new Map(), sectors: [], arranged: 0 };
    this.savedLayouts.open(`mnemoscene:places:${this.tenant}:${user ?? "*"}`);
  }

  private showStored(ids: readonly string[]): void {
    if (!this.opened) return;
    const { moved, whole } = this.takeOver(ids);
    if (moved.length > 0 || whole) this.onMoved(moved, whole);
  }

  /** Take over stored positions of nodes that are there. @returns those that stood elsewhere, and whether sectors changed. */
  private takeOver(ids: readonly string[]): { moved: string[]; whole: boolean } {
    const { points } = this.held;
    const moved: string[] = [];
    let whole = false;
    for (const id of ids) {
      const place = this.shared.at(id);
      const at = points.get(id);
      if (!place || !at) continue;
      const point = { x: place[0] as number, y: place[1] as number };
      if (Math.abs(point.x - at.x) >= SAME || Math.abs(point.y - at.y) >= SAME) moved.push(id);
      points.set(id, point);
      const sectors = sectorsOf(id, place);
      if (sectors.length > 0) whole = this.takeSectors(id, sectors, place[3] as number) || whole;
      if (this.savedLayouts.pins.has(id) !== (place[2] === 1)) this.savedLayouts.pin(id, place[2] === 1);
    }
    return { moved, whole };
  }

  /** @returns whether these sectors differ from what was there. */
  private takeSectors(hub: string, sectors: readonly Sector[], arranged: number): boolean {
    const before = this.held.sectors.filter((one) => one.hub === hub);
    this.held.sectors = [...this.held.sectors.filter((one) => one.hub !== hub), ...sectors];
    this.held.arranged = arranged;
    return before.length !== sectors.length || before.some((one, index) => Math.abs(one.from - (sectors[index] as Sector).from) > 1e-3 || Math.abs(one.outer - (sectors[index] as Sector).outer) >= SAME);
  }

  /** Place the nodes of the first snapshot of a map. */
  open(user: string | null, state: GraphState): void {
    if (user !== this.shared.user) this.expect(user);
    this.arrangement += 1;
    this.begin(state);
    this.opened = true;
  }

  private begin(state: GraphState): void {
    this.held = { points: new Map(), sectors: [], arranged: 0 };
    const known = [...state.nodes.keys()].filter((id) => this.shared.at(id));
    for (const id of known) this.held.points.set(id, { x: 0, y: 0 });
    this.takeOver(known);
    if (known.length > 0 && known.length >= state.nodes.size * KNOWN_SHARE) this.extend(state);
    else this.adopt(radialLayout(state.nodes.values(), state.edges.values(), this.shape()), state, known.length === 0);
  }

  /**
   * Place nodes without a position, and free the positions of removed ones, when positions are next read: while another
   * view is shown, nobody waits for them.
   */
  extend(state: GraphState): void {
    this.waiting = state;
  }

  private follow(state: GraphState): void {
    if (this.held.points.size === 0) {
      this.begin(state);
      return;
    }
    const { points } = this.held;
    this.forgetGone(state.nodes);
    const left = this.leaveSectors(state);
    const stored: string[] = [];
    for (const id of state.nodes.keys()) {
      if (points.has(id) || left.has(id) || !this.shared.at(id)) continue;
      points.set(id, { x: 0, y: 0 });
      stored.push(id);
    }
    this.takeOver(stored);
    const fresh = this.welcome(state);
    for (const [id, point] of placeNew(this.held, state.nodes, state.edges.values())) {
      points.set(id, point);
      if (!left.has(id)) fresh.push(id);
    }
    placeBadges(points, state.nodes);
    this.shared.share([...fresh, ...stored], true);
    this.shared.share(left, false);
  }

  /** Free the positions of removed nodes; one that was only read again returns to its own. */
  private forgetGone(nodes: ReadonlyMap<string, GraphNode>): void {
    const { points } = this.held;
    for (const id of points.keys()) {
      if (nodes.has(id) || userOfBadge(id) !== null) continue;
      this.shared.keep(id, this.placeOf(id) as Place);
      points.delete(id);
    }
  }

  /** Move things whose facts have ended out of their sector, which says something that no longer holds; pinned ones stay. */
  private leaveSectors(state: GraphState): Set<string> {
    const left = new Set([...endedInSector(this.held, state.edges.values(), state.nodes)].filter((id) => !this.savedLayouts.pins.has(id)));
    for (const id of left) this.held.points.delete(id);
    return left;
  }

  /** Reserve room for new users, with sectors for their later facts. @returns the users. */
  private welcome(state: GraphState): string[] {
    const { points, sectors } = this.held;
    const users: string[] = [];
    for (const node of state.nodes.values()) {
      if (node.kind !== "User" || points.has(node.id)) continue;
      const spot = new Occupied(HUB_GAP, points.values()).near({ x: 0, y: 0 });
      points.set(node.id, spot);
      sectors.push(...emptyFans(node.id, spot, stretchFor(this.shape())));
      users.push(node.id);
    }
    return users;
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

  /** @param keep what another viewer arranged meanwhile wins. */
  private adopt(layout: Layout, state: GraphState, keep = false): void {
    const before = this.layout.points;
    this.held = layout;
    for (const id of this.savedLayouts.pins) {
      const point = before.get(id);
      if (point && this.layout.points.has(id)) this.layout.points.set(id, point);
    }
    placeBadges(this.layout.points, state.nodes);
    this.shared.share(this.layout.points.keys(), keep);
  }

  move(id: string, point: Point): void {
    this.layout.points.set(id, { x: Math.round(point.x), y: Math.round(point.y) });
  }

  pin(id: string, on: boolean): void {
    this.savedLayouts.pin(id, on);
    this.shared.share([id], false);
    // At once: the page may be closed next.
    this.shared.flush();
  }

  put(layout: Layout): void {
    this.arrangement += 1;
    this.held = layout;
    this.shared.share(layout.points.keys(), false);
  }

  /** Return what the service stores of a node; null for badges, which stand beside their person. */
  private placeOf(id: string): Place | null {
    const point = this.held.points.get(id);
    if (!point || userOfBadge(id) !== null) return null;
    const place = [Math.round(point.x), Math.round(point.y), this.savedLayouts.pins.has(id) ? 1 : 0];
    const own = GROUP_ORDER.flatMap((key) => this.held.sectors.find((one) => one.hub === id && one.key === key) ?? []);
    const [first] = own;
    if (!first || own.length < GROUP_ORDER.length) return place;
    const fine = (value: number): number => Math.round(value * 1e4) / 1e4;
    const middle = [this.held.arranged, Math.round(first.centre.x), Math.round(first.centre.y), fine(first.stretch ?? STRETCH)];
    return [...place, ...middle, ...own.flatMap(({ from, to, inner, outer }) => [from, to, inner, outer].map(fine))];
  }
}

/** Return the sectors in what the service stores of a person; none for other nodes. */
function sectorsOf(hub: string, place: Place): Sector[] {
  if (place.length !== BEFORE_SECTORS + OF_A_SECTOR * GROUP_ORDER.length) return [];
  const [x, y, stretch] = place.slice(BEFORE_SECTORS - 3) as [number, number, number];
  return GROUP_ORDER.map((key, index) => {
    const [from, to, inner, outer] = place.slice(BEFORE_SECTORS + OF_A_SECTOR * index) as [number, number, number, number];
    return { hub, key, centre: { x, y }, from, to, inner, outer, stretch };
  });
}

/** Put the badges of each person beside the person. */
function placeBadges(points: Map<string, Point>, nodes: ReadonlyMap<string, GraphNode>): void {
  for (const { id, kind, user_id: user } of nodes.values()) {
    const at = points.get(id);
    if (kind === "User" && at) for (const [badge, spot] of badgeSpots(user, at)) if (!points.has(badge)) points.set(badge, spot);
  }
}
