// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { applyFrame, EMPTY_STATE, type GraphState } from "../src/graph/reduce";
import { Places } from "../src/map/places";
import { SharedPlaces, type View } from "../src/map/sharedPlaces";
import { NetPlaces } from "../src/net/netPlaces";
import { communityOf, foldedId, netShown } from "../src/net/netShown";
import type { PlaceNodes } from "../src/protocol/generated";
import { aMemory, aNode, anEdge, aPatch, aSnapshot } from "./builders";

const WIDE = 1.6;
const PHONE = 0.6;

type Viewer = Places & { link: SharedPlaces };

/** A service that stores positions, and sends each change to all its viewers, as `/live` does. */
class Shelf {
  readonly stored = new Map<string, { place: number[]; seq: number }>();
  readonly frames: PlaceNodes[] = [];
  private seq = 0;
  private readonly viewers: SharedPlaces[] = [];

  constructor(private readonly view: View = "map") {}

  viewer(shape: number, state: GraphState, mayPlace = true): Viewer {
    const shared = this.shared(mayPlace);
    const places = new Places(localStorage, "t", () => shape, shared);
    if (this.stored.size > 0) shared.receive(this.since(0, true));
    places.open(null, state);
    return Object.assign(places, { link: shared });
  }

  /** Open the network, which gets what is stored. */
  net(): NetPlaces {
    const own = this.shared(true);
    const places = new NetPlaces(localStorage, "t", { graph: own, communities: own });
    if (this.stored.size > 0) own.receive(this.since(0, true));
    places.open(null, this.view === "graph");
    return places;
  }

  private shared(mayPlace: boolean): SharedPlaces {
    const shared = new SharedPlaces(this.view, (frame) => this.take(frame));
    shared.allow(mayPlace);
    this.viewers.push(shared);
    return shared;
  }

  private since(seq: number, whole = false) {
    const places = [...this.stored].filter(([, one]) => one.seq > seq).map(([id, { place }]): [string, number[]] => [id, place]);
    return { t: "places" as const, user: null, seq: this.seq, whole, places: { [this.view]: places } };
  }

  private take(frame: PlaceNodes): boolean {
    this.frames.push(frame);
    expect(JSON.stringify(frame).length).toBeLessThan(16_384);
    expect(frame.places.length).toBeLessThanOrEqual(250);
    const before = this.seq;
    this.seq += 1;
    for (const [id, place] of frame.places) if (!frame.keep || !this.stored.has(id)) this.stored.set(id, { place, seq: this.seq });
    for (const viewer of this.viewers) viewer.receive(this.since(before));
    return true;
  }
}

function at(places: Places | NetPlaces): Record<string, [number, number]> {
  return Object.fromEntries([...places.layout.points].filter(([id]) => !id.startsWith("s:")).map(([id, { x, y }]) => [id, [Math.round(x), Math.round(y)]]));
}

function memory(things: number): GraphState {
  const { nodes, edges } = aMemory(things);
  return applyFrame(EMPTY_STATE, aSnapshot(0, nodes, edges)).state;
}

function grown(state: GraphState, id: string): GraphState {
  return applyFrame(state, aPatch(state.seq, state.seq + 1, [["node+", aNode(id)], ["edge+", anEdge(`to ${id}`, "u", id)]])).state;
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("positions on the service", () => {
  it("are the same in two windows of other sizes while a memory grows, and in one opened afterwards", () => {
    const shelf = new Shelf();
    let state = memory(40);
    const wide = shelf.viewer(WIDE, state);
    vi.runAllTimers();
    const phone = shelf.viewer(PHONE, state);
    const first = at(wide);
    expect(at(phone)).toEqual(first);
    for (const id of ["one", "two", "three", "four"]) {
      state = grown(state, id);
      wide.extend(state);
      void wide.layout;
      // The other window shows another view meanwhile, and places two arrivals at once.
      if (id === "two" || id === "four") {
        phone.extend(state);
        void phone.layout;
      }
      vi.runAllTimers();
    }
    expect(at(phone)).toEqual(at(wide));
    expect(at(shelf.viewer(PHONE, state))).toEqual(at(wide));
    expect(at(shelf.viewer(WIDE, state, false))).toEqual(at(wide));
    expect(at(wide)).toMatchObject(first);
    expect([...phone.layout.sectors].sort((a, b) => a.from - b.from)).toHaveLength(wide.layout.sectors.length);
  });

  it("of two windows that place the same things at once are those that came first", () => {
    const shelf = new Shelf();
    const state = memory(12);
    const [one, other] = [shelf.viewer(WIDE, state), shelf.viewer(PHONE, state)];
    expect(at(one)).not.toEqual(at(other));
    vi.runAllTimers();
    expect(at(other)).toEqual(at(one));
    expect(other.layout.sectors.map(({ stretch }) => stretch)).toEqual(one.layout.sectors.map(({ stretch }) => stretch));
  });

  it("follow what is dragged, pinned and let go, and are told to the map", () => {
    const shelf = new Shelf();
    const state = memory(12);
    const one = shelf.viewer(WIDE, state);
    vi.runAllTimers();
    const other = shelf.viewer(PHONE, state);
    const moved = vi.spyOn(other, "onMoved");
    one.move("u-e3", { x: 901.4, y: -77 });
    one.pin("u-e3", true);
    expect(moved).toHaveBeenCalledExactlyOnceWith(["u-e3"], false);
    expect(other.layout.points.get("u-e3")).toEqual({ x: 901, y: -77 });
    expect([...other.savedLayouts.pins]).toEqual(["u-e3"]);
    other.tidy(state);
    vi.runAllTimers();
    expect(at(one)).toEqual(at(other));
    expect(one.layout.points.get("u-e3")).toEqual({ x: 901, y: -77 });
    one.pin("u-e3", false);
    expect([...shelf.viewer(WIDE, state).savedLayouts.pins]).toEqual([]);
  });

  it("do not jump back when an earlier one of the same window returns late, and end at another's that is stored", () => {
    const shelf = new Shelf();
    const state = memory(12);
    const one = shelf.viewer(WIDE, state);
    vi.runAllTimers();
    const stored = (x: number) => ({ t: "places" as const, user: null, seq: 9, whole: false, places: { map: [["u-e3", [x, 0, 1]] as [string, number[]]] } });
    vi.spyOn(one.link, "receive").mockImplementation(() => undefined);
    one.move("u-e3", { x: 900, y: 0 });
    one.pin("u-e3", true);
    vi.mocked(one.link.receive).mockRestore();
    one.link.receive(stored(800));
    expect(one.layout.points.get("u-e3")).toEqual({ x: 900, y: 0 });
    vi.runAllTimers();
    expect(one.layout.points.get("u-e3")).toEqual({ x: 800, y: 0 });
  });

  it("follow an arrangement of the whole, with its sectors", () => {
    const shelf = new Shelf();
    let state = memory(3);
    const one = shelf.viewer(WIDE, state);
    vi.runAllTimers();
    const other = shelf.viewer(WIDE, state);
    for (let n = 0; n < 20; n += 1) state = grown(state, `new${n}`);
    for (const each of [one, other]) each.extend(state);
    void [one.layout, other.layout];
    vi.runAllTimers();
    const moved = vi.spyOn(other, "onMoved");
    one.tidy(state);
    vi.runAllTimers();
    expect(moved.mock.calls.some(([, whole]) => whole)).toBe(true);
    expect(at(other)).toEqual(at(one));
    for (const sector of one.layout.sectors) expect(other.layout.sectors.find(({ key }) => key === sector.key)?.to).toBeCloseTo(sector.to, 3);
    expect(other.layout.arranged).toBe(one.layout.arranged);
  });

  it("are not sent by a viewer that may not, and again after an outage", () => {
    const shelf = new Shelf();
    const state = memory(5);
    const reader = shelf.viewer(WIDE, state, false);
    reader.move("u-e3", { x: 1, y: 2 });
    reader.pin("u-e3", true);
    vi.runAllTimers();
    expect(shelf.frames).toEqual([]);
    reader.link.allow(true);
    vi.runAllTimers();
    expect(shelf.stored.get("u-e3")?.place).toEqual([1, 2, 1]);
    expect(shelf.stored.size).toBe(state.nodes.size);
  });

  it("arrange a memory of which fewer than half was placed anew", () => {
    const shelf = new Shelf();
    const young = shelf.viewer(WIDE, memory(5));
    vi.runAllTimers();
    const before = at(young);
    const old = shelf.viewer(WIDE, memory(40));
    vi.runAllTimers();
    expect(at(old)).not.toMatchObject(before);
    expect(at(young)).toEqual(Object.fromEntries(Object.keys(before).map((id) => [id, at(old)[id]])));
  });

  it("fit into the frames that the service accepts, for many people", () => {
    const shelf = new Shelf();
    const people = Array.from({ length: 60 }, (_, n) => aMemory(12, `u${n}`));
    const state = applyFrame(EMPTY_STATE, aSnapshot(0, people.flatMap(({ nodes }) => nodes), people.flatMap(({ edges }) => edges))).state;
    shelf.viewer(WIDE, state);
    vi.runAllTimers();
    expect(shelf.stored.size).toBe(state.nodes.size);
    expect(shelf.frames.length).toBeGreaterThan(3);
  });
});

describe("positions of the network on the service", () => {
  it("of a small memory are those that were arranged first, while it grows, and is moved and tidied", () => {
    const shelf = new Shelf("graph");
    let state = memory(12);
    const spread = (from: number) => new Map([...state.nodes.keys()].map((id, index) => [id, { x: from + 90 * index, y: index }]));
    const [one, other] = [shelf.net(), shelf.net()];
    expect([one.isBlank(state), other.isBlank(state)]).toEqual([true, true]);
    one.arrange(spread(0));
    const puts = other.puts;
    vi.runAllTimers();
    expect(other.puts, "an arrangement that is being computed is not wanted any more").toBe(puts + 1);
    expect(other.isBlank(state)).toBe(false);
    expect(at(other)).toEqual(at(one));
    state = grown(state, "late");
    for (const each of [one, other]) each.extendPlain(state);
    const moved = vi.spyOn(other, "onMoved");
    one.move("u-e3", { x: 901.4, y: -77 });
    one.pin("u-e3", true);
    expect(moved).toHaveBeenCalledExactlyOnceWith(["u-e3"], false);
    vi.runAllTimers();
    other.forget();
    other.arrange(spread(500));
    vi.runAllTimers();
    const late = shelf.net();
    for (const each of [one, late]) expect([at(each), [...each.savedLayouts.pins]]).toEqual([at(other), ["u-e3"]]);
    expect(at(late)).toMatchObject({ "u-e3": [901, -77], "u-e4": [500 + 90 * [...state.nodes.keys()].indexOf("u-e4"), expect.any(Number)] });
  });

  it("of a large one are those of its discs and of what stands in them, also of a community that was dragged", () => {
    const shelf = new Shelf("communities");
    const state = memory(20);
    const user = [...state.nodes.values()].find((node) => node.kind === "User")!;
    const things = [...state.nodes.keys()].filter((id) => id !== user.id);
    const lead = [things[0]!, things[8]!] as const;
    const community = (id: string, nodes: number) => ({ id, label: id, members: { nodes, edges: 1 }, user_id: user.user_id ?? user.id });
    const map = { t: "community_map" as const, epoch: "e1", seq: 1, total: 2, users: [user], links: [], communities: [community(lead[0], 8), community(lead[1], things.length - 8)], community_of: Object.fromEntries(things.map((id, index) => [id, index < 8 ? lead[0] : lead[1]])) };
    const show = (places: NetPlaces, open: string[]): void => places.extend(netShown(state, map, new Set(open), communityOf(state, map), new Set()), map, communityOf(state, map));
    const one = shelf.net();
    show(one, []);
    show(one, [lead[0]]);
    one.move(foldedId(lead[1]), { x: 2_000, y: 30 });
    one.pin(foldedId(lead[1]), true);
    vi.runAllTimers();
    const other = shelf.net();
    show(other, [lead[0]]);
    const rounded = (places: NetPlaces) => [...places.discs.values()].map(({ id, x, y, hue }) => [id, Math.round(x), Math.round(y), hue]).sort();
    expect([rounded(other), at(other), [...other.savedLayouts.pins]]).toEqual([rounded(one), at(one), [foldedId(lead[1])]]);
    const moved = vi.spyOn(one, "onMoved");
    other.forget();
    show(other, []);
    vi.runAllTimers();
    expect([rounded(one), at(one)[foldedId(lead[1])]]).toEqual([rounded(other), [2_000, 30]]);
    expect(moved.mock.calls.length).toBeLessThan(9);
  });
});
