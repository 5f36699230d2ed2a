/** Node positions of the network: communities in discs, members inside. Placed nodes never move by themselves. */

import { type Layout, Occupied, type Point } from "../map/place";
import { SavedLayouts } from "../map/pins";
import type { PlaceBook } from "../map/places";
import type { CommunityMap } from "../protocol/generated";
import type { KeyValues } from "../view/browserStorage";
import type { Shown } from "../view/filters";
import { type Disc, placeDiscs, placeMembers } from "./discs";
import { communityIn } from "./netShown";

const NONE: ReadonlyMap<string, Disc> = new Map();
const FORM = 1;
const GAP = 58;
const POINTS_MAX = 5_000;
const SAVE_AFTER_MS = 800;

interface Saved {
  form: number;
  points: Record<string, [number, number]>;
  discs: Disc[];
}

export class NetPlaces implements PlaceBook {
  layout: Layout = { points: new Map(), sectors: [], arranged: 0 };
  readonly savedLayouts: SavedLayouts;
  /** Number of whole arrangements put in place, so that one which is being computed knows whether it is still wanted. */
  puts = 0;
  private key = "";
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly storage: KeyValues,
    private readonly tenant: string,
  ) {
    this.savedLayouts = new SavedLayouts(storage);
  }

  get discs(): ReadonlyMap<string, Disc> {
    return this.layout.discs ?? NONE;
  }

  /** Load the positions of one lens. */
  open(user: string | null, plain = false): void {
    this.key = `mnemoscene:${plain ? "graph" : "net"}:${this.tenant}:${user ?? "*"}`;
    this.savedLayouts.open(this.key);
    const saved = this.load();
    const discs = new Map((saved?.discs ?? []).map((disc) => [disc.id, disc]));
    const points = Object.entries(saved?.points ?? {}).map(([id, [x, y]]): [string, Point] => [id, { x, y }]);
    this.layout = { points: new Map(points), sectors: [], arranged: 0, discs };
  }

  /** Return whether a plain graph was never arranged, so that `arrange` has to. */
  isBlank(shown: Shown): boolean {
    return shown.nodes.size > 0 && ![...shown.nodes.keys()].some((id) => this.layout.points.has(id));
  }

  /** Give every node of a plain graph a position, which pinned ones keep. */
  arrange(points: ReadonlyMap<string, Point>): void {
    const pinned = [...this.layout.points].filter(([id]) => this.savedLayouts.pins.has(id));
    this.layout = { points: new Map([...points, ...pinned]), sectors: [], arranged: points.size };
    this.saveSoon();
  }

  /** Place what is new in a plain graph beside its neighbours. */
  extendPlain(shown: Shown): void {
    const missing = [...shown.nodes.keys()].filter((id) => !this.layout.points.has(id));
    if (missing.length === 0) return;
    this.settleLoose(missing, shown);
    this.saveSoon();
  }

  /** Place every shown node that has no position. */
  extend(shown: Shown, map: CommunityMap, of: ReadonlyMap<string, string>): void {
    const people = new Map(map.users.map((node) => [node.user_id ?? node.id, node.id]));
    this.layout.discs = placeDiscs(this.discs, map.communities, people, map.links);
    const { points } = this.layout;
    const waiting = new Map<string, string[]>();
    const loose: string[] = [];
    for (const id of shown.nodes.keys()) {
      const home = this.discs.get(communityIn(id) ?? id);
      if (points.has(id)) continue;
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
    this.saveSoon();
  }

  move(id: string, point: Point): void {
    this.layout.points.set(id, { x: point.x, y: point.y });
    this.saveSoon();
  }

  pin(id: string, on: boolean): void {
    this.savedLayouts.pin(id, on);
  }

  put(layout: Layout): void {
    this.puts += 1;
    this.layout = layout;
    this.saveSoon();
  }

  /** Arrange everything again, except pinned nodes. */
  forget(): void {
    const pinned = [...this.layout.points].filter(([id]) => this.savedLayouts.pins.has(id));
    this.layout = { points: new Map(pinned), sectors: [], arranged: 0 };
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

  private load(): Saved | null {
    try {
      const saved = JSON.parse(this.storage.getItem(this.key) ?? "null") as Saved | null;
      return saved?.form === FORM ? saved : null;
    } catch {
      // Ignore a value of another program, and disabled storage.
      return null;
    }
  }

  private saveSoon(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.save(), SAVE_AFTER_MS);
  }

  private save(): void {
    const points: Saved["points"] = {};
    for (const [id, point] of [...this.layout.points].slice(-POINTS_MAX)) points[id] = [Math.round(point.x), Math.round(point.y)];
    try {
      this.storage.setItem(this.key, JSON.stringify({ form: FORM, points, discs: [...this.discs.values()] } satisfies Saved));
    } catch {
      // With full or forbidden storage positions are not remembered; nothing else is affected.
    }
  }
}
