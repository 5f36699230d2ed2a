// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { applyFrame, EMPTY_STATE, type GraphState } from "../src/graph/reduce";
import { Places } from "../src/map/places";
import type { PlaceNodes } from "../src/protocol/generated";
import { aMemory, aNode, anEdge, aPatch, aSnapshot } from "./builders";

const WIDE = 1.6;
const PHONE = 0.6;

/** A service that stores positions, and sends each change to all its viewers, as `/live` does. */
class Shelf {
  readonly stored = new Map<string, { place: number[]; seq: number }>();
  readonly frames: PlaceNodes[] = [];
  private seq = 0;
  private readonly viewers: Places[] = [];

  viewer(shape: number, state: GraphState, mayPlace = true): Places {
    const places = new Places(localStorage, "t", () => shape, (frame) => this.take(frame));
    places.allow(mayPlace);
    if (this.stored.size > 0) places.receive(this.since(0, true));
    places.open(null, state);
    this.viewers.push(places);
    return places;
  }

  private since(seq: number, whole = false) {
    const places = [...this.stored].filter(([, one]) => one.seq > seq).map(([id, { place }]): [string, number[]] => [id, place]);
    return { t: "places" as const, user: null, seq: this.seq, whole, places };
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

function at(places: Places): Record<string, [number, number]> {
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
    const stored = (x: number) => ({ t: "places" as const, user: null, seq: 9, whole: false, places: [["u-e3", [x, 0, 1]] as [string, number[]]] });
    vi.spyOn(one, "receive").mockImplementation(() => undefined);
    one.move("u-e3", { x: 900, y: 0 });
    one.pin("u-e3", true);
    vi.mocked(one.receive).mockRestore();
    one.receive(stored(800));
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
    reader.allow(true);
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
