import { describe, expect, it } from "vitest";
import { captionAngles, captionBoxes, LABEL_AIR, paintSectors, type SectorCaptions } from "../src/map/paintSectors";
import type { Viewport } from "../src/map/layer";
import type { Sector } from "../src/map/place";

const VIEW: Viewport = { zoom: 1, pan: { x: 400, y: 300 }, width: 800, height: 600 };
const PEN = { font: "", measureText: (text: string) => ({ width: text.length * 7 }) } as unknown as CanvasRenderingContext2D;
const CENTRE = { x: 0, y: 0 };

describe("the caption of a sector", () => {
  const sector: Sector = { hub: "ann", key: "likes", centre: CENTRE, from: -1, to: 1, inner: 100, outer: 150 };
  const captions = (angles: ReadonlyMap<string, number>): SectorCaptions => ({ angles, font: "12px x", text: () => "Likes" });

  it("stands where it covers no thing, as near to the middle as there is room", () => {
    const middle = captionAngles(PEN, VIEW, [sector], captions(new Map()), []);
    expect([...middle.values()]).toEqual([0]);
    const [first] = captionBoxes(PEN, VIEW, [sector], captions(middle));
    // Things where the caption would stand.
    const things = [0.2, 0.5, 0.8].map((share) => ({ x: (first?.x ?? 0) + share * (first?.w ?? 0) - VIEW.pan.x, y: (first?.y ?? 0) + 8 - VIEW.pan.y }));
    const moved = captionAngles(PEN, VIEW, [sector], captions(new Map()), things);
    const [box] = captionBoxes(PEN, VIEW, [sector], captions(moved));
    for (const { x, y } of things) {
      const at = { x: x + VIEW.pan.x, y: y + VIEW.pan.y };
      expect(box !== undefined && at.x > box.x && at.x < box.x + box.w && at.y > box.y && at.y < box.y + box.h).toBe(false);
    }
    expect([...moved.values()][0]).not.toBe(0);
    expect(Math.abs([...moved.values()][0] ?? 9)).toBeLessThan(1);
  });

  it("has room on both sides, so that no name beside it reads like a part of it", () => {
    const [box] = captionBoxes(PEN, VIEW, [sector], captions(new Map()));
    expect(box?.w).toBe("Likes".length * 7 + 2 * LABEL_AIR);
    expect(LABEL_AIR).toBeGreaterThan(6);
  });

  it("is faint where its person is, such as beside a selection", () => {
    const opacities: number[] = [];
    const pen = new Proxy({ ...PEN, globalAlpha: 1, fillText: () => opacities.push(pen.globalAlpha) } as unknown as CanvasRenderingContext2D, { get: (all, name) => Reflect.get(all, name) ?? (() => undefined) });
    paintSectors(pen, VIEW, [sector, { ...sector, hub: "bob" }], "light", captions(new Map()), (hub) => hub === "bob");
    expect(opacities).toEqual([0.85, 0.3]);
  });

  it("does not stand under the tools", () => {
    const [first] = captionBoxes(PEN, VIEW, [sector], captions(new Map()));
    const tools = { x: (first?.x ?? 0) - 5, y: (first?.y ?? 0) - 5, w: 90, h: 200 };
    const [box] = captionBoxes(PEN, VIEW, [sector], captions(captionAngles(PEN, VIEW, [sector], captions(new Map()), [{ x: 120, y: -60 }], [tools])));
    expect(box && box.y + box.h <= tools.y).toBe(true);
  });
});
