// @vitest-environment happy-dom
import cytoscape, { type Core } from "cytoscape";
import { afterEach, describe, expect, it, vi } from "vitest";
import { Camera } from "../src/map/camera";
import { onScreen } from "../src/map/layer";
import type { Point } from "../src/map/place";

const SIDE = 300;
const maps: Core[] = [];
afterEach(() => {
  // Otherwise its loop of animations goes on.
  for (const cy of maps.splice(0)) cy.destroy();
  vi.restoreAllMocks();
});

function aMap(): { cy: Core; camera: Camera } {
  vi.spyOn(window, "matchMedia").mockReturnValue({ matches: true } as MediaQueryList);
  const cy = cytoscape({ headless: true, styleEnabled: true });
  maps.push(cy);
  vi.spyOn(cy, "width").mockReturnValue(SIDE);
  vi.spyOn(cy, "height").mockReturnValue(SIDE);
  cy.add([{ data: { id: "ann" }, position: { x: 0, y: 0 } }, { data: { id: "scene" }, position: { x: 2_000, y: 900 } }]);
  const camera = new Camera(cy, () => []);
  camera.fit();
  return { cy, camera };
}

function sees(cy: Core, ...points: Point[]): boolean {
  const view = { zoom: cy.zoom(), pan: cy.pan(), width: cy.width(), height: cy.height() };
  return points.map((point) => onScreen(view, point)).every(({ x, y }) => x > 0 && y > 0 && x < view.width && y < view.height);
}

describe("what a question recalled", () => {
  it("is in the window, and stays there when it goes elsewhere or more of it arrives", async () => {
    const { cy, camera } = aMap();
    const recalled = [{ x: 2_000, y: 900 }];
    camera.enclose(() => recalled);
    await vi.waitFor(() => expect([sees(cy, ...recalled), sees(cy, { x: 0, y: 0 })]).toEqual([true, false]));
    // A thing whose fact has ended leaves its sector.
    recalled[0] = { x: -1_500, y: 300 };
    camera.include();
    await vi.waitFor(() => expect(sees(cy, ...recalled)).toBe(true));
    recalled.push({ x: 4_000, y: 0 });
    camera.include();
    await vi.waitFor(() => expect(sees(cy, ...recalled)).toBe(true));
  });

  it("is gone to when the map is shown, if the question came while it was hidden", async () => {
    const { cy, camera } = aMap();
    const recalled = [{ x: 2_000, y: 900 }];
    vi.mocked(cy.width).mockReturnValue(0);
    camera.enclose(() => recalled);
    vi.mocked(cy.width).mockReturnValue(SIDE);
    camera.keepFitted();
    await vi.waitFor(() => expect([sees(cy, ...recalled), sees(cy, { x: 0, y: 0 })]).toEqual([true, false]));
  });

  it("is not gone to against the user, who has moved the map", () => {
    const { cy, camera } = aMap();
    camera.enclose(() => [{ x: 2_000, y: 900 }]);
    camera.jump({ x: 0, y: 0 });
    camera.include();
    camera.keepFitted();
    expect(sees(cy, { x: 0, y: 0 })).toBe(true);
  });
});

describe("going to a place on the map", () => {
  it.each([["a point", (camera: Camera) => camera.centreOn({ x: 2_000, y: 900 })], ["a group", (camera: Camera) => camera.panTo({ x: 2_000, y: 900 }, 40)], ["a group that is larger than the window", (camera: Camera) => camera.panTo({ x: 2_000, y: 900 }, 900)]])("brings %s into sight and keeps the zoom", async (_, go) => {
    const { cy, camera } = aMap();
    camera.enclose(() => [{ x: 0, y: 0 }, { x: 300, y: 0 }]);
    await vi.waitFor(() => expect(sees(cy, { x: 0, y: 0 })).toBe(true));
    const zoom = cy.zoom();
    go(camera);
    await vi.waitFor(() => expect(sees(cy, { x: 2_000, y: 900 })).toBe(true));
    expect(cy.zoom()).toBe(zoom);
  });
});
