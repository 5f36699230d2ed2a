// @vitest-environment happy-dom
import { afterEach, describe, expect, it, vi } from "vitest";
import { applyFrame, EMPTY_STATE } from "../src/graph/reduce";
import { SavedLayouts, withSaved } from "../src/map/pins";
import { fitting } from "../src/map/camera";
import { addedSince, Places } from "../src/map/places";
import { groupOf } from "../src/graph/groups";
import { heldSectors } from "../src/map/paintSectors";
import { placeNew } from "../src/map/placeNew";
import { radialLayout, SCREEN } from "../src/map/radial";
import { angleAndRadius, inSector, outsideOf, type Point, rimOf } from "../src/map/place";
import type { PatchOp } from "../src/protocol/frames";
import { aMemory, aNode, anEdge, aPatch, aSnapshot, byId, dice } from "./builders";

function least(points: Iterable<Point>): number {
  const all = [...points];
  let found = Infinity;
  for (let i = 0; i < all.length; i += 1) for (let j = 0; j < i; j += 1) found = Math.min(found, Math.hypot(all[i]!.x - all[j]!.x, all[i]!.y - all[j]!.y));
  return found;
}

describe("places of what arrives", () => {
  it("are found once somebody reads them, since a hidden map needs none", () => {
    const places = new Places(localStorage, "lazy");
    const { nodes, edges } = aMemory(20);
    places.open(null, applyFrame(EMPTY_STATE, aSnapshot(1, nodes, edges)).state);
    let reads = 0;
    const known = byId([...nodes, aNode("late")]);
    const state = { ...EMPTY_STATE, nodes: known, get edges() { reads += 1; return byId(edges); } };
    places.extend(state);
    places.extend(state);
    expect(reads).toBe(0);
    expect(places.layout.points.has("late")).toBe(true);
    expect(reads).toBeGreaterThan(0);
  });
});

describe("the radial layout", () => {
  it("is the same for the same graph in any order", () => {
    const { nodes, edges } = aMemory(60);
    const roll = dice(5);
    const shuffled = <T>(items: T[]): T[] => [...items].sort(() => roll() - 0.5);
    const once = radialLayout(nodes, edges);
    const again = radialLayout(shuffled(nodes), shuffled(edges));
    expect([...again.points].sort()).toEqual([...once.points].sort());
  });

  it.each([1, 3, 12, 60, 200])("puts a user with %i things in the middle and nothing onto another", (things) => {
    const { nodes, edges } = aMemory(things);
    const { points } = radialLayout(nodes, edges);
    expect(points.get("u")).toEqual({ x: 0, y: 0 });
    expect(points.size).toBe(nodes.length);
    expect(least(points.values())).toBeGreaterThan(30);
  });

  it("keeps likes and dislikes in their own fans and scenes outside of all", () => {
    const { nodes, edges } = aMemory(40);
    const { points, sectors } = radialLayout(nodes, edges);
    const likes = sectors.find((sector) => sector.key === "likes")!;
    for (const edge of edges.filter((one) => one.source === "u" && one.predicate === "PREFERS")) {
      const { angle } = angleAndRadius(likes.centre, points.get(edge.target)!);
      const turned = angle < likes.from ? angle + 2 * Math.PI : angle;
      expect(turned).toBeGreaterThanOrEqual(likes.from);
      expect(turned).toBeLessThanOrEqual(likes.to);
    }
    const radius = (id: string): number => angleAndRadius({ x: 0, y: 0 }, points.get(id)!).radius;
    const scenes = nodes.filter((node) => node.kind === "Scene").map((node) => radius(node.id));
    const others = nodes.filter((node) => node.kind !== "Scene").map((node) => radius(node.id));
    expect(Math.min(...scenes)).toBeGreaterThan(Math.max(...others));
  });

  it("keeps users apart and places what is tied to nobody", () => {
    const [one, two] = [aMemory(30, "u"), aMemory(20, "v")];
    const { points } = radialLayout([...one.nodes, ...two.nodes, aNode("alone")], [...one.edges, ...two.edges]);
    expect(points.size).toBe(one.nodes.length + two.nodes.length + 1);
    expect(least(points.values())).toBeGreaterThan(30);
  });
});

describe("many things tied to nobody", () => {
  const { nodes, edges } = aMemory(120, "u");
  const loose = Array.from({ length: 240 }, (_, n) => aNode(`loose${String(n).padStart(3, "0")}`));
  const links = Array.from({ length: 120 }, (_, n) => anEdge(`link${n}`, `loose${String(n).padStart(3, "0")}`, `loose${String(n + 120).padStart(3, "0")}`));
  const { points } = radialLayout([...nodes, ...loose], [...edges, ...links]);
  const at = (id: string): Point => points.get(id) as Point;
  const high = (ids: readonly string[]): number => Math.max(...ids.map((id) => at(id).y)) - Math.min(...ids.map((id) => at(id).y));

  it("take at most half the height of the rest", () => {
    const things = nodes.filter((node) => node.kind !== "Scene").map((node) => node.id);
    expect(high(loose.map((node) => node.id))).toBeLessThan(high(things) / 2);
    expect(least(loose.map((node) => at(node.id)))).toBeGreaterThan(50);
  });

  it("stand beside what they are linked to", () => {
    const near = links.filter(({ source, target }) => Math.hypot(at(source).x - at(target).x, at(source).y - at(target).y) < 60);
    expect(near.length).toBeGreaterThan(links.length * 0.8);
  });
});

describe("the view that fits the map", () => {
  const { nodes, edges } = aMemory(12, "u");
  const { points, sectors } = radialLayout(nodes, edges);
  const things = nodes.filter((node) => node.kind !== "Scene").map((node) => points.get(node.id) as Point);
  const [xs, ys] = [things.map(({ x }) => x), things.map(({ y }) => y)];
  const box = { x1: Math.min(...xs), x2: Math.max(...xs), y1: Math.min(...ys), y2: Math.max(...ys) };
  const phone = { width: 390, height: 580 };

  it("cuts no sector at the edge of a phone, and fills its width", () => {
    const rims = sectors.flatMap(rimOf);
    const { middle, zoom } = fitting(phone, box, rims);
    const sides = rims.map(({ x }) => Math.abs(x - middle.x) * zoom);
    expect(Math.max(...sides)).toBeLessThanOrEqual(phone.width / 2);
    expect(Math.max(...sides)).toBeGreaterThan(0.75 * (phone.width / 2));
    for (const { y } of rims) expect(Math.abs(y - middle.y) * zoom).toBeLessThanOrEqual(phone.height / 2);
  });

  it("is that of the nodes alone where no sector is painted", () => {
    const { middle, zoom } = fitting(phone, box, []);
    expect(middle).toEqual({ x: (box.x1 + box.x2) / 2, y: (box.y1 + box.y2) / 2 });
    expect((box.x2 - box.x1) * zoom).toBeCloseTo(phone.width * (1 - 2 * 0.09));
  });
});

describe("one person on an upright screen", () => {
  it.each([3, 12, 40])("fills more of its height than on a wide one, with %i things", (things) => {
    const { nodes, edges } = aMemory(things, "u");
    const phone = { width: 390, height: 580 };
    const height = (shape: number): number => {
      const { points, sectors } = radialLayout(nodes, edges, shape);
      const rims = sectors.flatMap(rimOf);
      const drawn = nodes.filter((node) => node.kind !== "Scene").map((node) => points.get(node.id) as Point);
      const [xs, ys] = [drawn.map(({ x }) => x), drawn.map(({ y }) => y)];
      const { zoom } = fitting(phone, { x1: Math.min(...xs), x2: Math.max(...xs), y1: Math.min(...ys), y2: Math.max(...ys) }, rims);
      return ((Math.max(...rims.map(({ y }) => y)) - Math.min(...rims.map(({ y }) => y))) * zoom) / phone.height;
    };
    expect(height(phone.width / phone.height)).toBeGreaterThan(1.3 * height(SCREEN));
    expect(height(phone.width / phone.height)).toBeGreaterThan(0.6);
  });

  it("has its things inside of the sectors as they are painted, later ones too", () => {
    const { nodes, edges } = aMemory(20, "u");
    const layout = radialLayout(nodes, edges, 0.6);
    const likes = layout.sectors.find((sector) => sector.key === "likes")!;
    const more = [...nodes, aNode("new")];
    const spot = placeNew(layout, byId(more), [...edges, anEdge("new-1", "u", "new")]).get("new")!;
    expect(inSector(likes, spot)).toBe(true);
    for (const edge of edges.filter((one) => one.source === "u" && one.predicate !== "MENTIONED")) {
      const sector = layout.sectors.find((one) => one.key === groupOf(edge))!;
      expect([edge.target, inSector(sector, layout.points.get(edge.target)!)]).toEqual([edge.target, true]);
    }
    const rims = rimOf(likes);
    expect(Math.max(...rims.map(({ x }) => Math.abs(x))) / Math.max(...rims.map(({ y }) => Math.abs(y)))).toBeLessThan(1.2);
  });
});

describe("several users", () => {
  it("stand above each other on an upright screen, beside each other on a wide one", () => {
    const people = ["a", "b", "c", "d"];
    const nodes = people.flatMap((user) => [aNode(user, { kind: "User", user_id: user }), ...Array.from({ length: 8 }, (_, n) => aNode(`${user}${n}`, { user_id: user }))]);
    const edges = people.flatMap((user) => Array.from({ length: 8 }, (_, n) => anEdge(`${user} ${n}`, user, `${user}${n}`)));
    const shapeOf = (wanted: number): number => {
      const points = [...radialLayout(nodes, edges, wanted).points.values()];
      const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)];
      return (Math.max(...xs) - Math.min(...xs)) / (Math.max(...ys) - Math.min(...ys));
    };
    expect(shapeOf(1.6)).toBeGreaterThan(1);
    expect(shapeOf(0.6)).toBeLessThan(1);
  });

  it.each([2, 3, 4, 7])("%i fill the shape of a screen instead of a column", (users) => {
    const all = Array.from({ length: users }, (_, index) => aMemory(30 + 3 * index, `u${index}`));
    const { points } = radialLayout(all.flatMap((one) => one.nodes), all.flatMap((one) => one.edges));
    const [xs, ys] = [[...points.values()].map((point) => point.x), [...points.values()].map((point) => point.y)];
    const shape = (Math.max(...xs) - Math.min(...xs)) / (Math.max(...ys) - Math.min(...ys));
    expect(shape).toBeGreaterThan(1.05);
    expect(shape).toBeLessThan(2.8);
    expect(least(points.values())).toBeGreaterThan(30);
  });
});

describe("tidying up", () => {
  afterEach(() => vi.restoreAllMocks());

  /** Places of a memory that stand elsewhere, on a clock that goes on so fast that there is a pause after each step. */
  function untidied() {
    let ms = 0;
    vi.spyOn(performance, "now").mockImplementation(() => (ms += 20));
    const { nodes, edges } = aMemory(60);
    const state = applyFrame(EMPTY_STATE, aSnapshot(1, nodes, edges)).state;
    const places = new Places(localStorage, `untidied ${Math.random()}`);
    places.open("u", state);
    const tidy = new Map(places.layout.points);
    for (const [id, { x, y }] of tidy) places.move(id, { x: y, y: x });
    return { places, state, tidy, untidy: new Map(places.layout.points) };
  }

  it("arranges in slices as at once, and places what comes meanwhile", async () => {
    const { places, state, tidy } = untidied();
    let now = state;
    const done = places.tidyInSlices(() => now);
    expect([...places.layout.points]).not.toEqual([...tidy]);
    now = applyFrame(state, aPatch(1, 2, [["node+", aNode("late")]])).state;
    places.extend(now);
    expect(await done).toBe(true);
    for (const [id, point] of tidy) expect([id, places.layout.points.get(id)]).toEqual([id, point]);
    expect(places.layout.points.has("late")).toBe(true);
  });

  it("gives a thing that was only read again its place back", () => {
    const { places, state, untidy } = untidied();
    const [id, point] = [...untidy].find(([name]) => state.nodes.get(name)?.kind === "Entity")!;
    const gone = applyFrame(state, aPatch(1, 2, [["node-", id]])).state;
    places.extend(gone);
    expect(places.layout.points.has(id)).toBe(false);
    places.extend(applyFrame(gone, aPatch(2, 3, [["node+", state.nodes.get(id)!]])).state);
    expect(places.layout.points.get(id)).toEqual(point);
  });

  it("is given up when another arrangement is put in place", async () => {
    const { places, state, untidy } = untidied();
    const done = places.tidyInSlices(() => state);
    places.put({ ...places.layout, points: new Map(untidy) });
    expect(await done).toBe(false);
    expect([...places.layout.points]).toEqual([...untidy]);
  });
});

describe("what has ended", () => {
  const OVER = { valid_at: "2025-01-01T00:00:00Z", invalid_at: "2026-01-01T00:00:00Z" };

  it("has no place in a sector, and a sector without valid facts is not painted", () => {
    const { nodes, edges } = aMemory(12);
    const care = edges.find((edge) => edge.source === "u" && edge.predicate === "PREFERS")!;
    const closed = edges.map((edge) => (edge.predicate === "PREFERS" && edge.source === "u" ? { ...edge, ...OVER } : edge));
    const { points, sectors } = radialLayout(nodes, closed);
    expect(sectors.filter((sector) => inSector(sector, points.get(care.target)!))).toEqual([]);
    expect(heldSectors(sectors, closed, points, new Map()).map((sector) => sector.key)).not.toContain("likes");
    expect(heldSectors(radialLayout(nodes, edges).sectors, edges, radialLayout(nodes, edges).points, new Map()).map((sector) => sector.key)).toContain("likes");
  });

  it("leaves its sector on an open page, unless it is pinned; nothing else moves", () => {
    const { nodes, edges } = aMemory(20);
    const places = new Places(localStorage, "ended");
    let state = applyFrame(EMPTY_STATE, aSnapshot(0, nodes, edges)).state;
    places.open(null, state);
    const [one, pinned] = edges.filter((edge) => edge.source === "u" && edge.predicate === "PREFERS" && !edges.some((other) => other.source === edge.target));
    places.savedLayouts.pin(pinned!.target, true);
    const before = new Map(places.layout.points);
    state = applyFrame(state, aPatch(0, 1, [["edge+", { ...one!, ...OVER }], ["edge+", { ...pinned!, ...OVER }]])).state;
    places.extend(state);
    const { points, sectors } = places.layout;
    expect(sectors.some((sector) => inSector(sector, points.get(one!.target)!))).toBe(false);
    for (const [id, point] of before) if (id !== one!.target) expect([id, points.get(id)]).toEqual([id, point]);
    const moved = { ...points.get(one!.target)! };
    places.extend(state);
    expect(points.get(one!.target)).toEqual(moved);
  });
});

describe("placing what is new", () => {
  it("puts new scenes outside of the sectors of all users", () => {
    const [one, two] = [aMemory(30, "u"), aMemory(20, "v")];
    const layout = radialLayout([...one.nodes, ...two.nodes], [...one.edges, ...two.edges]);
    const scenes = Array.from({ length: 30 }, (_, index) => aNode(`new${index}`, { kind: "Scene" }));
    const mentions = scenes.flatMap((scene, index) => [anEdge(`a${index}`, scene.id, index % 2 ? "u" : "v", { predicate: "MENTIONED" }), anEdge(`b${index}`, scene.id, `u-e${index}`, { predicate: "MENTIONED" })]);
    const found = placeNew(layout, byId([...one.nodes, ...two.nodes, ...scenes]), [...one.edges, ...two.edges, ...mentions]);
    const outside = outsideOf(layout.sectors);
    for (const [id, point] of found) expect([id, outside(point)]).toEqual([id, true]);
  });

  it("never moves what is there, over a hundred arrivals", () => {
    const { nodes, edges } = aMemory(50);
    const places = new Places(localStorage, "still");
    let state = applyFrame(EMPTY_STATE, aSnapshot(0, nodes, edges)).state;
    places.open(null, state);
    const before = new Map([...places.layout.points].map(([id, point]) => [id, { ...point }]));
    for (let index = 0; index < 100; index += 1) {
      const id = `late${index}`;
      const other = index % 3 === 0 ? "u" : `u-e${index % 50}`;
      state = applyFrame(state, aPatch(index, index + 1, [["node+", aNode(id)], ["edge+", anEdge(`l${index}`, other, id)]])).state;
      places.extend(state);
    }
    for (const [id, point] of before) expect(places.layout.points.get(id)).toEqual(point);
    // Three more are the badges of scenes, of what is only mentioned and of what is past.
    expect(places.layout.points.size).toBe(nodes.length + 100 + 3);
    expect(least(places.layout.points.values())).toBeGreaterThan(30);
  });

  it("gives a memory that grows from its first fact a fan for every kind of fact", () => {
    const places = new Places(localStorage, "young");
    let state = applyFrame(EMPTY_STATE, aSnapshot(0, [], [])).state;
    places.open(null, state);
    const predicates = ["PREFERS", "DISLIKES", "CARES_ABOUT", "RELATES_TO"];
    for (let index = 0; index < 16; index += 1) {
      const predicate = predicates[index % 4] as string;
      const ops: PatchOp[] = [["node+", aNode("u", { kind: "User" })], ["node+", aNode(`e${index}`)], ["edge+", anEdge(`r${index}`, "u", `e${index}`, { predicate })]];
      state = applyFrame(state, aPatch(index, index + 1, ops)).state;
      places.extend(state);
    }
    for (const edge of state.edges.values()) {
      const sector = places.layout.sectors.find((one) => one.key === groupOf(edge))!;
      const { angle } = angleAndRadius(sector.centre, places.layout.points.get(edge.target)!);
      const turned = angle < sector.from ? angle + 2 * Math.PI : angle;
      expect([edge.id, turned >= sector.from && turned <= sector.to]).toEqual([edge.id, true]);
    }
  });

  it("gives a user who is new room and fans of their own", () => {
    const { nodes, edges } = aMemory(20);
    const places = new Places(localStorage, "two");
    let state = applyFrame(EMPTY_STATE, aSnapshot(0, nodes, edges)).state;
    places.open(null, state);
    const ops: PatchOp[] = [["node+", aNode("v", { kind: "User" })], ["node+", aNode("tea")], ["edge+", anEdge("t", "v", "tea", { predicate: "DISLIKES" })], ["node+", aNode("s", { kind: "Scene" })], ["edge+", anEdge("m", "s", "v", { predicate: "MENTIONED" })]];
    state = applyFrame(state, aPatch(0, 1, ops)).state;
    places.extend(state);
    const { points, sectors } = places.layout;
    const far = [...points].filter(([id]) => !["v", "tea", "s"].includes(id)).map(([, point]) => Math.hypot(point.x - points.get("v")!.x, point.y - points.get("v")!.y));
    expect(Math.min(...far)).toBeGreaterThanOrEqual(420);
    const dislikes = sectors.find((one) => one.hub === "v" && one.key === "dislikes")!;
    expect(angleAndRadius(dislikes.centre, points.get("tea")!).radius).toBeCloseTo(dislikes.inner);
    expect(angleAndRadius(dislikes.centre, points.get("s")!).radius).toBeGreaterThan(dislikes.outer);
  });

  it("paints the sectors of a person whose first facts came after the map was arranged", () => {
    const { nodes, edges } = aMemory(0, "u");
    const scene = aNode("s", { kind: "Scene", user_id: "u" });
    const people = nodes.filter((node) => node.kind === "User");
    const layout = radialLayout([...people, scene], []);
    const [tea, rain] = [aNode("tea"), aNode("rain")];
    const now = [...edges, anEdge("t", "u", "tea"), anEdge("r", "u", "rain", { predicate: "DISLIKES" })];
    for (const [id, point] of placeNew(layout, byId([...people, scene, tea, rain]), now)) layout.points.set(id, point);
    expect(heldSectors(layout.sectors, now, layout.points, new Map()).map((sector) => sector.key)).toEqual(["likes", "dislikes"]);
  });

  it("puts a new liking into the fan of likes", () => {
    const { nodes, edges } = aMemory(30);
    const layout = radialLayout(nodes, edges);
    const all = byId([...nodes, aNode("tea")]);
    const spot = placeNew(layout, all, [...edges, anEdge("t", "u", "tea")]).get("tea")!;
    const likes = layout.sectors.find((sector) => sector.key === "likes")!;
    const { angle } = angleAndRadius(likes.centre, spot);
    const middle = (likes.from + likes.to) / 2;
    expect(Math.abs(Math.atan2(Math.sin(angle - middle), Math.cos(angle - middle)))).toBeLessThan((likes.to - likes.from) / 2 + 0.3);
  });

  it("finds a place for things that hang on nothing", () => {
    const found = placeNew({ points: new Map(), sectors: [], arranged: 0 }, byId([aNode("a"), aNode("b")]), []);
    expect(least(found.values())).toBeGreaterThan(30);
  });
});

describe("pins", () => {
  it("stay when all else is arranged anew until they are taken out", () => {
    const { nodes, edges } = aMemory(20);
    const state = applyFrame(EMPTY_STATE, aSnapshot(0, nodes, edges)).state;
    const places = new Places(localStorage, "pins");
    places.open(null, state);
    places.move("u-e3", { x: 1_234, y: -77 });
    places.pin("u-e3", true);
    places.tidy(state);
    expect(places.layout.points.get("u-e3")).toEqual({ x: 1_234, y: -77 });
    places.pin("u-e3", false);
    places.tidy(state);
    expect(places.layout.points.get("u-e3")).not.toEqual({ x: 1_234, y: -77 });
  });

  it("come with a named arrangement, which leaves alone what is newer", () => {
    const savedLayouts = new SavedLayouts(localStorage);
    savedLayouts.open("k");
    savedLayouts.pin("a", true);
    savedLayouts.save("mine", new Map([["a", { x: 1.4, y: 2 }], ["gone", { x: 0, y: 0 }]]));
    savedLayouts.save("other", new Map());
    savedLayouts.save("mine", new Map([["a", { x: 5, y: 6 }], ["gone", { x: 0, y: 0 }]]));
    expect(savedLayouts.layouts().map((one) => [one.name, one.pins])).toEqual([["mine", ["a"]], ["other", ["a"]]]);
    const merged = withSaved(new Map([["a", { x: 0, y: 0 }], ["new", { x: 9, y: 9 }]]), savedLayouts.layouts()[0]!);
    expect([...merged]).toEqual([["a", { x: 5, y: 6 }], ["new", { x: 9, y: 9 }]]);
    expect(savedLayouts.drop("mine").map((one) => one.name)).toEqual(["other"]);
  });
});

describe("an offer to tidy up", () => {
  it("is made once much was added to what was arranged, and not again right after it", () => {
    const places = new Places(localStorage, "grown");
    let state = applyFrame(EMPTY_STATE, aSnapshot(0, [aNode("u", { kind: "User" }), aNode("tea")], [anEdge("1", "u", "tea")])).state;
    places.open(null, state);
    expect(addedSince(places.layout)).toBe(0);
    const ops: PatchOp[] = Array.from({ length: 60 }, (_, n) => [["node+", aNode(`n${n}`)], ["edge+", anEdge(`e${n}`, "u", `n${n}`)]] as PatchOp[]).flat();
    state = applyFrame(state, aPatch(0, 1, ops)).state;
    places.extend(state);
    expect(addedSince(places.layout)).toBeGreaterThanOrEqual(60);
    places.tidy(state);
    expect(addedSince(places.layout)).toBe(0);
  });
});
