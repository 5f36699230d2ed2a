// @vitest-environment happy-dom
import { describe, expect, it } from "vitest";
import { applyFrame, EMPTY_STATE } from "../src/graph/reduce";
import { BADGE, badgeId, foldRest, foldScenes, restOf, userOfBadge } from "../src/map/foldScenes";
import { distanceToLine } from "../src/map/place";
import { Places } from "../src/map/places";
import { radialLayout } from "../src/map/radial";
import { aMemory, aNode, anEdge, aSnapshot, byId } from "./builders";

const name = (_: string, n: number, isOpen: boolean): string => `${isOpen ? "fold " : ""}${n} scenes`;

function aShown() {
  const { nodes, edges } = aMemory(20, "u");
  const own = nodes.map((node) => ({ ...node, user_id: node.id === "u-s4" ? "nobody" : "u" }));
  return { nodes: byId(own), edges: byId(edges) };
}

describe("folded scenes", () => {
  it("are one badge for each person, and their mentions are gone; all facts stay", () => {
    const shown = aShown();
    const part = foldScenes(shown, new Set(), new Set(), name);
    expect([...part.nodes.values()].filter((node) => node.kind === "Scene").map((node) => node.id)).toEqual(["u-s4"]);
    expect(part.nodes.get(badgeId("u"))).toMatchObject({ kind: BADGE, label: "4 scenes", evidence_n: 4 });
    expect([...part.edges.values()].filter((edge) => edge.predicate !== "MENTIONED").length).toBe([...shown.edges.values()].filter((edge) => edge.predicate !== "MENTIONED").length);
    for (const edge of part.edges.values()) expect(part.nodes.has(edge.source) && part.nodes.has(edge.target)).toBe(true);
    expect([userOfBadge(badgeId("小林")), userOfBadge("u-s4")]).toEqual(["小林", null]);
  });

  it("open on demand, and one that is kept stays while the others are folded", () => {
    const shown = aShown();
    const opened = foldScenes(shown, new Set(["u"]), new Set(), name);
    expect([...opened.nodes.keys()].sort()).toEqual([...shown.nodes.keys(), badgeId("u")].sort());
    expect(opened.nodes.get(badgeId("u"))?.label).toBe("fold 4 scenes");
    expect(foldScenes(shown, new Set(), new Set(["u-s1"]), name).nodes.has("u-s1")).toBe(true);
  });

  it("need no badge where there are none", () => {
    const shown = { nodes: byId([aNode("u", { kind: "User", user_id: "u" }), aNode("a")]), edges: byId([anEdge("r", "u", "a")]) };
    expect(foldScenes(shown, new Set(), new Set(), name)).toBe(shown);
  });

  it("take no room from people: the map of two is as large as without them", () => {
    const [one, two] = [aMemory(40, "u"), aMemory(30, "v")];
    const [nodes, edges] = [[...one.nodes, ...two.nodes], [...one.edges, ...two.edges]];
    const things = nodes.filter((node) => node.kind !== "Scene");
    const whole = radialLayout(nodes, edges).points;
    const bare = radialLayout(things, edges.filter((edge) => edge.predicate !== "MENTIONED")).points;
    for (const id of ["u", "v"]) expect(whole.get(id)).toEqual(bare.get(id));
  });

  it("have their badge above their person, where nothing else is", () => {
    const { nodes, edges } = aMemory(60, "u");
    const places = new Places(localStorage, "badge");
    places.open(null, applyFrame(EMPTY_STATE, aSnapshot(0, nodes.map((node) => ({ ...node, user_id: "u" })), edges)).state);
    const { points } = places.layout;
    const [badge, user] = [points.get(badgeId("u"))!, points.get("u")!];
    expect(badge.x).toBe(user.x);
    expect(badge.y).toBeLessThan(user.y - 40);
    for (const [id, point] of points) if (id !== badgeId("u")) expect([id, Math.hypot(point.x - badge.x, point.y - badge.y) > 34]).toEqual([id, true]);
  });
});

describe("an edge as a target", () => {
  it("is as far as its closest point, also beyond its ends", () => {
    const [from, to] = [{ x: 0, y: 0 }, { x: 100, y: 0 }];
    expect(distanceToLine({ x: 50, y: 11 }, from, to)).toBe(11);
    expect(distanceToLine({ x: 103, y: 4 }, from, to)).toBe(5);
    expect(distanceToLine({ x: 3, y: 4 }, from, from)).toBe(5);
  });
});

describe("what no valid fact ties", () => {
  const user = aNode("u", { kind: "User", user_id: "u" });
  const over = { valid_at: "2026-01-01T00:00:00Z", invalid_at: "2026-02-01T00:00:00Z" };
  const thing = (id: string) => aNode(id, { user_id: "u" });
  const ids = (kind: string, n: number): string[] => Array.from({ length: n }, (_, at) => `${kind}${at}`);
  function aRest(mentioned: number, past: number) {
    const nodes = byId([user, aNode("s", { kind: "Scene", user_id: "u" }), thing("tea"), ...[...ids("m", mentioned), ...ids("p", past)].map(thing)]);
    const edges = byId([anEdge("1", "u", "tea"), anEdge("2", "u", "tea", over), ...ids("m", mentioned).map((id) => anEdge(`m-${id}`, "s", id, { predicate: "MENTIONED" })), ...ids("p", past).map((id) => anEdge(`p-${id}`, "u", id, over))]);
    return { nodes, edges };
  }
  const label = (rest: string, n: number, isOpen: boolean): string => `${isOpen ? "fold" : "+"}${n} ${rest}`;
  const folded = (mentioned: number, past: number, open: string[] = [], kept: string[] = []) => {
    const shown = aRest(mentioned, past);
    return foldRest(shown, restOf(shown), new Set(open), new Set(kept), label);
  };

  it("folds into a badge for what is only mentioned and one for what is past, each opened in place", () => {
    const part = folded(17, 6);
    expect([...part.nodes.keys()]).toEqual(["u", "s", "tea", badgeId("u mentioned"), badgeId("u past")]);
    expect([...part.nodes.values()].slice(3).map((node) => [node.label, node.user_id])).toEqual([["+17 mentioned", "u"], ["+6 past", "u"]]);
    for (const edge of part.edges.values()) expect(part.nodes.has(edge.source) && part.nodes.has(edge.target)).toBe(true);
    const key = userOfBadge(badgeId("u mentioned")) as string;
    const open = folded(17, 6, [key]);
    expect([open.nodes.has("m3"), open.nodes.has("p3"), open.nodes.get(badgeId(key))?.label]).toEqual([true, false, "fold17 mentioned"]);
  });

  it("stays where there is little of it, and so does what is selected or found", () => {
    expect(folded(4, 4).nodes.size).toBe(3 + 8);
    expect(folded(17, 0, [], ["m2"]).nodes.has("m2")).toBe(true);
  });
});
