/** Node positions of the network: communities in discs, members inside. Placed nodes never move by themselves. */

import { type Layout, Occupied, type Point } from "../map/place";
import { SavedLayouts } from "../map/pins";
import { KNOWN_SHARE, type PlaceBook, SAME } from "../map/places";
import type { Place, SharedPlaces } from "../map/sharedPlaces";
import type { CommunityMap } from "../protocol/generated";
import type { KeyValues } from "../view/browserStorage";
import type { Shown } from "../view/filters";
import { type Disc, placeDiscs, placeMembers } from "./discs";
import { communityIn, foldedId } from "./netShown";

const NONE: ReadonlyMap<string, Disc> = new Map();
const GAP = 58;
/**
 * What the service stores of a person: x, y, pinned, and x, y, radius and colour of its disc. Of the first member of a
 * community more: first where the folded community stands, then its disc, and last where the member itself stands, or 0.
 */
const OF_A_PERSON = 7;
const OF_A_PLACED_MEMBER = 10;

export class NetPlaces implements PlaceBook {
  layout: Layout = blank();
  readonly savedLayouts: SavedLayouts;
  /** Called with the nodes that another viewer moved; `whole` if discs changed too, or a plain graph that had no positions. */
  onMoved: (ids: readonly string[], whole: boolean) => void = () => undefined;
  /** Number of whole arrangements put in place, so that one which is being computed knows whether it is still wanted. */
  puts = 0;
  private shared: SharedPlaces;
  private people: ReadonlySet<string> = new Set();
  /** A plain graph has been shown, or is being arranged first, or again on request of the user. */
  private begun = false;
  private waiting = false;
  private again = false;

  constructor(
    storage: KeyValues,
    private readonly tenant: string,
    private readonly views: Readonly<Record<"graph" | "communities", SharedPlaces>>,
  ) {
    this.savedLayouts = new SavedLayouts(storage);
    this.shared = views.graph;
  }

  get discs(): ReadonlyMap<string, Disc> {
    return this.layout.discs ?? NONE;
  }

  /** Begin with the stored positions of one lens. */
  open(user: string | null, plain = false): void {
    this.shared.attach(() => null, () => undefined);
    this.shared = plain ? this.views.graph : this.views.communities;
    this.savedLayouts.open(`mnemoscene:${plain ? "graph" : "net"}:${this.tenant}:${user ?? "*"}`);
    this.layout = blank();
    this.begun = this.waiting = this.again = false;
    this.takeOver(this.shared.rows.map(([id]) => id));
    this.shared.attach((id) => this.placeOf(id), (ids) => this.showStored(ids));
  }

  private showStored(ids: readonly string[]): void {
    const { moved, whole } = this.takeOver(ids);
    const first = this.waiting && !this.again;
    if (first) {
      this.begun = true;
      this.puts += 1;
    }
    if (moved.length > 0 || whole || first) this.onMoved(moved, whole || first);
  }

  /** Take over stored positions. @returns those that stood elsewhere, and whether discs changed. */
  private takeOver(ids: readonly string[]): { moved: string[]; whole: boolean } {
    const { points } = this.layout;
    const discs = new Map(this.discs);
    const moved: string[] = [];
    let whole = false;
    const put = (id: string, [x, y, pinned]: Place): void => {
      const [at, point] = [points.get(id), { x: x as number, y: y as number }];
      if (at && far(at, point)) moved.push(id);
      points.set(id, point);
      if (this.savedLayouts.pins.has(id) !== (pinned === 1)) this.savedLayouts.pin(id, pinned === 1);
    };
    for (const id of ids) {
      const place = this.shared.at(id) ?? [];
      const isMember = place.length < OF_A_PERSON;
      put(isMember || place.length === OF_A_PERSON ? id : foldedId(id), place);
      if (place.length === OF_A_PLACED_MEMBER) put(id, place.slice(OF_A_PERSON));
      if (isMember) continue;
      const [x, y, r, hue] = place.slice(3) as [number, number, number, number];
      const before = discs.get(id);
      whole ||= !before || far(before, { x, y });
      discs.set(id, { id, x, y, r, hue });
    }
    this.layout.discs = discs;
    return { moved, whole };
  }

  /** Return what the service stores of a node. */
  private placeOf(id: string): Place | null {
    const [disc, point] = [this.discs.get(id), this.layout.points.get(id)];
    const spot = (of: string, at: Point): Place => [Math.round(at.x), Math.round(at.y), this.savedLayouts.pins.has(of) ? 1 : 0];
    if (!disc) return point ? spot(id, point) : null;
    const shape = [disc.x, disc.y, disc.r, disc.hue].map(Math.round);
    if (this.people.has(id)) return [...spot(id, point ?? disc), ...shape];
    const folded = foldedId(id);
    return [...spot(folded, this.layout.points.get(folded) ?? disc), ...shape, ...(point ? spot(id, point) : [0])];
  }

  private share(ids: Iterable<string>, keep: boolean): void {
    this.shared.share([...ids].map((id) => communityIn(id) ?? id), keep);
  }

  /** Return whether a plain graph was not arranged yet, or for fewer than half of its nodes, so that `arrange` has to. */
  isBlank(shown: Shown): boolean {
    if (shown.nodes.size === 0) return false;
    const known = [...shown.nodes.keys()].filter((id) => this.layout.points.has(id)).length;
    return (this.waiting = known < (this.begun ? 1 : shown.nodes.size * KNOWN_SHARE));
  }

  /** Give every node of a plain graph a position, which pinned ones keep. */
  arrange(points: ReadonlyMap<string, Point>): void {
    const keep = this.layout.points.size === 0 && !this.again;
    const pinned = [...this.layout.points].filter(([id]) => this.savedLayouts.pins.has(id));
    this.layout = { points: new Map([...points, ...pinned]), sectors: [], arranged: points.size };
    this.begun = true;
    this.waiting = this.again = false;
    this.share(this.layout.points.keys(), keep);
  }

  /** Place what is new in a plain graph beside its neighbours. */
  extendPlain(shown: Shown): void {
    this.begun = true;
    const missing = [...shown.nodes.keys()].filter((id) => !this.layout.points.has(id));
    if (missing.length === 0) return;
    this.settleLoose(missing, shown);
    this.share(missing, true);
  }

  /** Place every shown node that has no position. */
  extend(shown: Shown, map: CommunityMap, of: ReadonlyMap<string, string>): void {
    const people = new Map(map.users.map((node) => [node.user_id ?? node.id, node.id]));
    this.people = new Set(people.values());
    const before = this.discs;
    this.layout.discs = placeDiscs(before, map.communities, people, map.links);
    const fresh = [...this.discs.keys()].filter((id) => !before.has(id));
    const { points } = this.layout;
    const waiting = new Map<string, string[]>();
    const loose: string[] = [];
    for (const id of shown.nodes.keys()) {
      const home = this.discs.get(communityIn(id) ?? id);
      if (points.has(id)) continue;
      fresh.push(id);
      if (communityIn(id) !== null || (home && people.get(shown.nodes.get(id)?.user_id ?? "") === id)) {
        if (home) points.set(id, { x: home.x, y: home.y });
      } else {
        const community = of.get(id);
        if (community === undefined || !this.discs.has(community)) loose.push(id);
        else waiting.set(community, [...(waiting.get(community) ?? []), id]);
      }
    }
    for (const [community, ids] of waiting) this.settle(ids, this.discs.get(community) as Disc, shown, of);
    this.settleLoose(loose, shown);
    this.share(fresh, !this.again);
    this.again = false;
  }

  move(id: string, point: Point): void {
    this.layout.points.set(id, { x: Math.round(point.x), y: Math.round(point.y) });
  }

  pin(id: string, on: boolean): void {
    this.savedLayouts.pin(id, on);
    this.share([id], false);
    // At once: the page may be closed next.
    this.shared.flush();
  }

  put(layout: Layout): void {
    this.puts += 1;
    this.layout = layout;
    this.share([...layout.points.keys(), ...this.discs.keys()], false);
  }

  /** Arrange everything again, except pinned nodes. */
  forget(): void {
    const pinned = [...this.layout.points].filter(([id]) => this.savedLayouts.pins.has(id));
    this.layout = { ...blank(), points: new Map(pinned) };
    this.again = true;
  }

  /** Arrange a community when it first shows its members; later members get a free spot in it. */
  private settle(ids: string[], disc: Disc, shown: Shown, of: ReadonlyMap<string, string>): void {
    const { points } = this.layout;
    const there = [...points.keys()].filter((id) => of.get(id) === disc.id);
    if (there.length === 0) {
      const links = [...shown.edges.values()].map((edge) => [edge.source, edge.target] as const);
      for (const [id, point] of placeMembers(ids, links, disc)) points.set(id, point);
      return;
    }
    const occupied = new Occupied(GAP, points.values());
    for (const id of ids) {
      const spot = occupied.near(this.beside(id, shown) ?? disc);
      points.set(id, spot);
      occupied.add(spot);
    }
  }

  private settleLoose(ids: string[], shown: Shown): void {
    if (ids.length === 0) return;
    const occupied = new Occupied(GAP * 1.6, this.layout.points.values());
    for (const id of ids) {
      const spot = occupied.near(this.beside(id, shown) ?? { x: 0, y: 0 });
      this.layout.points.set(id, spot);
      occupied.add(spot);
    }
  }

  private beside(id: string, shown: Shown): Point | null {
    for (const edge of shown.edges.values()) {
      const other = edge.source === id ? edge.target : edge.target === id ? edge.source : null;
      const point = other === null ? undefined : this.layout.points.get(other);
      if (point) return point;
    }
    return null;
  }
}

function blank(): Layout {
  return { points: new Map(), sectors: [], arranged: 0 };
}

function far(one: Point, other: Point): boolean {
  return Math.abs(one.x - other.x) >= SAME || Math.abs(one.y - other.y) >= SAME;
}
