// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Words } from "../src/i18n/words";
import { MapCanvas } from "../src/map/mapCanvas";
import { captionAngleSteps } from "../src/map/paintSectors";
import type { Layout } from "../src/map/place";
import type { PlaceBook } from "../src/map/places";
import type { Marks } from "../src/map/pointOut";
import { aNode, anEdge } from "./builders";

vi.mock("../src/map/paintSectors", async (load) => {
  const all = await load<typeof import("../src/map/paintSectors")>();
  return { ...all, captionAngleSteps: vi.fn(all.captionAngleSteps) };
});

const NONE: Marks = { selected: null, cursor: null, matches: null, fresh: new Set(), others: new Map(), trail: null, recalled: null, partner: null, arrived: new Set() };
const SHOWN = { nodes: new Map([["ann", aNode("ann", { kind: "User" })], ["tea", aNode("tea")]]), edges: new Map([["likes", anEdge("likes", "ann", "tea")]]) };
const LAYOUT = {
  points: new Map([["ann", { x: 0, y: 0 }], ["tea", { x: 100, y: 0 }]]),
  sectors: [{ hub: "ann", key: "likes", centre: { x: 0, y: 0 }, from: -1, to: 1, inner: 80, outer: 160 }],
} as unknown as Layout;
const SETTLED_MS = 1_000;

let [width, maps, texts] = [800, [] as MapCanvas[], [] as string[]];

beforeEach(() => {
  vi.useFakeTimers();
  width = 800;
  const pen = new Proxy({} as Record<string, unknown>, {
    get: (_, name) => (name === "measureText" ? () => ({ width: 7 }) : name === "fillText" ? (text: string) => texts.push(text) : () => undefined),
    set: () => true,
  });
  vi.stubGlobal("OffscreenCanvas", undefined);
  vi.stubGlobal("Path2D", class {});
  vi.spyOn(HTMLCanvasElement.prototype, "getContext").mockReturnValue(pen as never);
  // Cytoscape subtracts paddings, which an element without styles does not have here.
  vi.spyOn(window, "getComputedStyle").mockReturnValue({ getPropertyValue: () => "0px" } as unknown as CSSStyleDeclaration);
  vi.spyOn(HTMLElement.prototype, "clientWidth", "get").mockImplementation(() => width);
  vi.spyOn(HTMLElement.prototype, "clientHeight", "get").mockReturnValue(600);
});
afterEach(() => {
  for (const map of maps.splice(0)) map.destroy();
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

function aMap(): { map: MapCanvas; over: HTMLCanvasElement } {
  const canvases = Array.from({ length: 4 }, () => document.createElement("canvas"));
  const [under, over, pulses, mini] = canvases as [HTMLCanvasElement, HTMLCanvasElement, HTMLCanvasElement, HTMLCanvasElement];
  const big = document.createElement("div");
  document.body.append(big, ...canvases);
  const places = { layout: LAYOUT, savedLayouts: { pins: new Set() } } as unknown as PlaceBook;
  const map = new MapCanvas({ big, under, over, pulses, mini, covers: [] }, places, { select: () => undefined, look: () => undefined }, "light", new Words("en"));
  maps.push(map);
  return { map, over };
}

describe("the captions of sectors", () => {
  it("get their places when the map settles, and keep them when something is pointed at", async () => {
    const { map } = aMap();
    map.setShown(SHOWN);
    await vi.advanceTimersByTimeAsync(SETTLED_MS);
    const settled = vi.mocked(captionAngleSteps).mock.calls.length;
    expect(settled).toBeGreaterThan(0);
    map.setMarks({ ...NONE, selected: "tea" });
    map.setMarks(NONE);
    expect(vi.mocked(captionAngleSteps).mock.calls.length).toBe(settled);
  });
});

describe("the first picture", () => {
  it("is drawn in the size that the page has by then", async () => {
    const { map, over } = aMap();
    map.setShown({ nodes: new Map(), edges: new Map() });
    await Promise.resolve();
    expect(over.width).toBe(800);
    // Filters appear beside the map with its first elements.
    width = 600;
    map.setShown(SHOWN);
    await Promise.resolve();
    expect([over.width, map.drawn()]).toEqual([600, { nodes: 2, edges: 1 }]);
  });
});

describe("the relation's word on a line", () => {
  it("is said once, also of what is selected", async () => {
    const { map } = aMap();
    const edge = anEdge("has", "ann", "tea", { predicate: "RELATES_TO", relation: "has" });
    map.setShown({ ...SHOWN, edges: new Map([["has", edge]]) });
    await vi.advanceTimersByTimeAsync(SETTLED_MS);
    for (const selected of [null, "has"]) {
      map.setMarks({ ...NONE, selected });
      await vi.advanceTimersByTimeAsync(SETTLED_MS);
      texts = [];
      map.setTheme("dark");
      await vi.advanceTimersByTimeAsync(SETTLED_MS);
      const count = (wanted: string): number => texts.filter((text) => text === wanted).length;
      expect([count("ann") > 0, count("has")]).toEqual([true, count("ann")]);
    }
  });
});
