// @vitest-environment happy-dom
import { describe, expect, it } from "vitest";
import { type Disc, discRadius, freeSpot, placeDiscs, placeMembers } from "../src/net/discs";
import { SharedPlaces } from "../src/map/sharedPlaces";
import { NetPlaces } from "../src/net/netPlaces";
import { clearOfDiscs, COMMUNITY, communityOf, FOLDED_ELEMENTS_MAX, foldedId, netShown, TIES } from "../src/net/netShown";
import { groundsOf, netSize } from "../src/net/paintDiscs";
import type { CommunityMap, CommunityView } from "../src/protocol/generated";
import { ELEMENTS_MAX, withinBudget } from "../src/view/filters";
import { sameNameLinks } from "../src/net/sameNames";
import { aNode, anEdge, byId } from "./builders";

function aCommunity(id: string, members: number, user = "alice"): CommunityView {
  return { id, label: id, members: { nodes: members, edges: members }, user_id: user };
}

function aMap(communities: CommunityView[], of: Record<string, string>, ties: CommunityMap["links"] = []): CommunityMap {
  return { t: "community_map", epoch: "e1", seq: 1, total: communities.length, users: [aNode("u", { kind: "User" })], communities, links: ties, community_of: of };
}

const NODES = byId([aNode("u", { kind: "User" }), ...["a1", "a2", "b1", "new"].map((id) => aNode(id))]);
const EDGES = byId([anEdge("in", "a1", "a2"), anEdge("over", "a1", "b1"), anEdge("who", "u", "a1"), anEdge("late", "b1", "new", { predicate: "RELATES_TO" })]);
const MAP = aMap([aCommunity("a1", 2), aCommunity("b1", 1)], { a1: "a1", a2: "a1", b1: "b1" }, [{ source: "a1", target: "b1", edges: 7 }, { source: "a1", target: "u", edges: 3 }]);
const SHOWN = { nodes: NODES, edges: EDGES };

describe("the network", () => {
  const of = communityOf(SHOWN, MAP);
  const ids = (open: Set<string> | null) => {
    const part = netShown(SHOWN, MAP, open, of);
    return { nodes: [...part.nodes.keys()].sort(), edges: [...part.edges.values()].map((edge) => [edge.source, edge.target, edge.evidence_n]) };
  };

  it("puts what is new to the community of its neighbours", () => {
    expect(of.get("new")).toBe("b1");
    expect(of.has("u")).toBe(false);
  });

  it("folds communities into one thing each, with how many links lead between them", () => {
    const folded = ids(new Set());
    expect(folded.nodes).toEqual(["c:a1", "c:b1", "u"]);
    expect(folded.edges).toContainEqual(["c:a1", "c:b1", 7]);
    expect(folded.edges).toContainEqual(["c:a1", "u", 3]);
    expect(netShown(SHOWN, MAP, new Set(), of).nodes.get("c:a1")).toMatchObject({ kind: COMMUNITY, evidence_n: 2 });
  });

  it("shows the members of open ones, tied to the folded ones", () => {
    const part = ids(new Set(["a1"]));
    expect(part.nodes).toEqual(["a1", "a2", "c:b1", "u"]);
    expect(part.edges).toContainEqual(["a1", "c:b1", 1]);
    expect(ids(null).nodes).toEqual(["a1", "a2", "b1", "new", "u"]);
  });

  it("draws no more of folded communities than can be told apart, until one is opened", () => {
    const many = Array.from({ length: 240 }, (_, index) => aCommunity(`k${index}`, 300 - index, index === 230 ? "bob" : "alice"));
    const ties = many.slice(1).map((one, index) => ({ source: `k${index}`, target: one.id, edges: 1 + (index % 9) }));
    const map = aMap(many, {}, ties);
    const far = netShown({ nodes: new Map(), edges: new Map() }, map, new Set(), new Map());
    expect(far.nodes.size + far.edges.size).toBeLessThanOrEqual(FOLDED_ELEMENTS_MAX);
    expect(["k0", "k230", "k239"].map((id) => far.nodes.has(foldedId(id)))).toEqual([true, true, false]);
    const near = netShown({ nodes: new Map(), edges: new Map() }, map, new Set(["k239"]), new Map());
    expect(near.nodes.has(foldedId("k200"))).toBe(true);
  });

  it("adds only the members of the first opened community, until the other communities are wanted", () => {
    const many = Array.from({ length: 240 }, (_, index) => aCommunity(`k${index}`, 300 - index));
    const ties = many.slice(1).map((one, index) => ({ source: `k${index}`, target: one.id, edges: 1 + (index % 9) }));
    const members = byId(Array.from({ length: 160 }, (_, index) => aNode(`m${index}`)));
    const all = { nodes: members, edges: byId([anEdge("inside", "m0", "m1")]) };
    const map = aMap(many, Object.fromEntries([...members.keys()].map((id) => [id, "k3"])), ties);
    const homes = communityOf(all, map);
    const before = netShown(all, map, new Set(), homes, new Set(), false);
    const after = netShown(all, map, new Set(["k3"]), homes, new Set(), false);
    const added = (now: ReadonlyMap<string, unknown>, was: ReadonlyMap<string, unknown>) => [...now.keys()].filter((id) => !was.has(id));
    expect(added(after.nodes, before.nodes).sort()).toEqual([...members.keys()].sort());
    expect(added(before.nodes, after.nodes)).toEqual([foldedId("k3")]);
    const lost = added(before.edges, after.edges);
    expect(lost.every((id) => id.includes(`${foldedId("k3")} `) || id.endsWith(foldedId("k3")))).toBe(true);
    expect(after.edges.has("inside")).toBe(true);
    const whole = netShown(all, map, new Set(["k3"]), homes, new Set(), true);
    expect(added(after.nodes, whole.nodes)).toEqual([]);
    expect(whole.nodes.size).toBe(1 + 239 + 160);
  });

  it("draws of a large memory what is asked for, and no more of what stands in some community", () => {
    const some = aMap([aCommunity("a1", 2_000), aCommunity("b1", 1)], { a1: "a1", b1: "b1" });
    const nodes = byId([...NODES.values(), ...["far", "beside", "other"].map((id) => aNode(id))]);
    const all = { nodes, edges: byId([...EDGES.values(), anEdge("tied", "far", "beside"), anEdge("who2", "u", "other")]) };
    const known = communityOf(all, some);
    const drawn = (asked: Set<string>) => [...netShown(all, some, new Set(), known, asked).nodes.keys()].sort();
    expect(drawn(new Set())).toEqual(["c:a1", "c:b1", "u"]);
    expect(drawn(new Set(["far"]))).toEqual(["beside", "c:a1", "c:b1", "far", "u"]);
  });

  it("draws what was opened last, however much is held already", () => {
    const held = Array.from({ length: 1_500 }, (_, index) => aNode(`n${index}`));
    const members = Array.from({ length: 160 }, (_, index) => aNode(`m${index}`));
    const map = aMap([aCommunity("m0", 160)], Object.fromEntries(members.map((node) => [node.id, "m0"])));
    const all = { nodes: byId([...held, ...members]), edges: byId(held.slice(1).map((node, index) => anEdge(`e${index}`, `n${index}`, node.id))) };
    const part = netShown(all, map, new Set(["m0"]), communityOf(all, map));
    expect(members.every((node) => part.nodes.has(node.id))).toBe(true);
    expect(part.nodes.size + part.edges.size).toBeLessThanOrEqual(ELEMENTS_MAX);
  });

  it("never shows more than a canvas holds, and keeps what is asked for", () => {
    const nodes = byId(Array.from({ length: 3_000 }, (_, index) => aNode(`n${index}`)));
    const edges = byId(Array.from({ length: 2_999 }, (_, index) => anEdge(`e${index}`, `n${index}`, `n${index + 1}`)));
    const part = withinBudget({ nodes, edges }, new Set(["n2999"]));
    expect(part.nodes.size + part.edges.size).toBeLessThanOrEqual(ELEMENTS_MAX);
    expect(part.nodes.has("n2999")).toBe(true);
    for (const edge of part.edges.values()) expect(part.nodes.has(edge.source) && part.nodes.has(edge.target)).toBe(true);
  });
});

describe("discs", () => {
  const communities = Array.from({ length: 60 }, (_, index) => aCommunity(`c${index}`, 1 + ((index * 37) % 190), index % 3 ? "alice" : "bob"));
  const people = new Map([["alice", "u"], ["bob", "v"]]);
  const ties = communities.slice(1).map((one, index) => ({ source: one.id, target: `c${index}`, edges: 1 + index }));

  it("never overlap, neither do those that come later, and nothing that was there moves", () => {
    const first = placeDiscs(new Map(), communities.slice(0, 40), people, ties);
    const all = placeDiscs(first, communities, people, ties);
    for (const [id, disc] of first) expect(all.get(id)).toEqual(disc);
    const list = [...all.values()];
    expect(list.length).toBe(62);
    for (const one of list) for (const other of list) if (one.id < other.id) expect(Math.hypot(one.x - other.x, one.y - other.y)).toBeGreaterThanOrEqual(one.r + other.r);
  });

  it("find a spot beside many others by comparing with few of them", () => {
    let compared = 0;
    const placed: Disc[] = [];
    for (let index = 0; index < 60; index += 1) {
      const disc = { id: `${index}`, ...freeSpot({ x: 0, y: 0 }, 300, placed), hue: 0, get r() { compared += 1; return 300; } };
      placed.push(disc);
    }
    // Five million if every point of the spiral is compared with one disc after another.
    expect(compared).toBeLessThan(1_500_000);
  });

  it("have room for their members, none onto another", () => {
    const ids = Array.from({ length: 160 }, (_, index) => `m${index}`);
    const disc = { id: "d", x: 100, y: -50, r: discRadius(160), hue: 0 };
    const points = [...placeMembers(ids, ids.slice(1).map((id) => ["m0", id] as const), disc).values()];
    for (const point of points) expect(Math.hypot(point.x - 100, point.y + 50)).toBeLessThanOrEqual(disc.r);
    const least = Math.min(...points.flatMap((one, index) => points.slice(0, index).map((other) => Math.hypot(one.x - other.x, one.y - other.y))));
    expect(least).toBeGreaterThan(14);
  });
});

describe("the disc of an open community", () => {
  it("is not crossed by the lines of others, while its own lines and facts stay", () => {
    const at = { left: [-300, 0], right: [300, 0], far: [300, 400], member: [20, 0], other: [-250, 10], third: [250, 10] };
    const points = new Map(Object.entries(at).map(([id, [x, y]]) => [id, { x: x as number, y: y as number }]));
    const tie = { predicate: TIES as "RELATES_TO" };
    const edges = [anEdge("through", "left", "right", tie), anEdge("beside", "right", "far", tie), anEdge("own", "member", "right", tie), anEdge("fact", "other", "third")];
    const part = clearOfDiscs({ nodes: byId(Object.keys(at).map((id) => aNode(id))), edges: byId(edges) }, [{ id: "open", x: 0, y: 0, r: 100, hue: 0 }], new Map([["member", "open"]]), points);
    expect([...part.edges.keys()]).toEqual(["beside", "own", "fact"]);
    expect(part.nodes.size).toBe(6);
  });
});

describe("the disc behind a community", () => {
  it("is drawn only while the community is open, not for one that is left out", () => {
    const communities = [aCommunity("a1", 2), aCommunity("b1", 1)];
    const discs = placeDiscs(new Map(), communities, new Map(), []);
    expect(groundsOf(communities, discs, new Set(["b1"])).map(({ label }) => label)).toEqual(["b1"]);
    expect(groundsOf(communities, discs, new Set())).toEqual([]);
  });
});

describe("the size in the network", () => {
  it("of a person is large enough to be seen among communities", () => {
    const discs = placeDiscs(new Map(), [aCommunity("a1", 160)], new Map([["alice", "u"]]), []);
    expect(netSize("u", discs, new Set(["u"]))).toBeGreaterThan(100);
    expect(netSize(foldedId("a1"), discs, new Set(["u"]))).toBeGreaterThan(300);
    expect(netSize("member", discs, new Set(["u"]))).toBeNull();
  });
});

describe("places in the network", () => {
  it("stay when a community grows, and new members stand beside their neighbours", () => {
    const places = new NetPlaces(localStorage, "t", { graph: new SharedPlaces("graph"), communities: new SharedPlaces("communities") });
    places.open(null);
    const of = new Map([["a1", "a1"], ["a2", "a1"], ["b1", "b1"]]);
    const few = { nodes: byId(["u", "a1", "a2", "b1"].map((id) => NODES.get(id)!)), edges: EDGES };
    places.extend(few, MAP, of);
    const before = new Map([...places.layout.points].map(([id, point]) => [id, { ...point }]));
    places.extend(SHOWN, MAP, communityOf(SHOWN, MAP));
    for (const [id, point] of before) expect(places.layout.points.get(id)).toEqual(point);
    const [late, beside] = [places.layout.points.get("new")!, places.layout.points.get("b1")!];
    expect(Math.hypot(late.x - beside.x, late.y - beside.y)).toBeLessThan(150);
    expect(places.layout.points.has(foldedId("a1"))).toBe(false);
  });
});

describe("people linked through things of one name", () => {
  const things = (user: string, ...names: string[]) => [aNode(user, { kind: "User", user_id: user }), ...names.map((label) => aNode(`${user}-${label}`, { label, user_id: user }))];

  it("are those who both have it, with the names on the link, the most first", () => {
    const links = sameNameLinks([...things("ann", "Coffee", "Lisbon", "piano"), ...things("bob", "coffee", "lisbon"), ...things("cem", "piano", "tea")]);
    expect(links.map(({ source, target, relation }) => [source, target, relation])).toEqual([["ann", "bob", "Coffee · Lisbon"], ["ann", "cem", "piano"]]);
    expect(links.every((edge) => edge.predicate === "TIES")).toBe(true);
  });

  it("are only people whom this page has, and no link is made by a name that everybody has", () => {
    expect(sameNameLinks([...things("ann", "tea"), aNode("hidden", { label: "tea", user_id: "bob" })])).toEqual([]);
    expect(sameNameLinks(Array.from({ length: 20 }, (_, n) => things(`p${n}`, "tea")).flat())).toEqual([]);
  });
});
