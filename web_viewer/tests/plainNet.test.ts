// @vitest-environment happy-dom
import { describe, expect, it } from "vitest";
import { Words } from "../src/i18n/words";
import { SharedPlaces } from "../src/map/sharedPlaces";
import { inSlices } from "../src/map/slices";
import { forceLayout } from "../src/net/forceLayout";
import { NetPlaces } from "../src/net/netPlaces";
import { personOf, plainNet, pullsOf, TOPIC_MIN, topicName, topicsOf } from "../src/net/plainNet";
import type { CommunityMap } from "../src/protocol/generated";
import { aMemory, aNode, anEdge, byId } from "./builders";

function aNet(things: number) {
  const [one, two] = [aMemory(things, "u"), aMemory(Math.ceil(things / 3), "v")];
  const own = (user: string) => (node: ReturnType<typeof aNode>) => ({ ...node, user_id: user });
  return { nodes: byId([...one.nodes.map(own("u")), ...two.nodes.map(own("v"))]), edges: byId([...one.edges, ...two.edges]) };
}

function arranged(shown: ReturnType<typeof aNet>) {
  const net = plainNet(shown);
  const steps = forceLayout([...net.nodes.keys()], pullsOf(shown), (id) => personOf(net.nodes.get(id)));
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

describe("the plain network", () => {
  it("shows people and things with their facts, and neither scenes nor mentions", () => {
    const shown = aNet(40);
    const net = plainNet(shown);
    expect([...net.nodes.values()].filter((node) => node.kind === "Scene")).toEqual([]);
    expect([...net.nodes.values()].filter((node) => node.kind === "User").length).toBe(2);
    expect([...net.edges.values()].some((edge) => edge.predicate === "MENTIONED")).toBe(false);
    expect(net.edges.size).toBe([...shown.edges.values()].filter((edge) => edge.predicate !== "MENTIONED").length);
  });

  it.each([12, 90])("puts nothing onto another, neighbours close, and is the same each time: %i things", (things) => {
    const shown = aNet(things);
    const points = arranged(shown);
    expect([...points]).toEqual([...arranged(shown)]);
    const all = [...points.values()];
    let least = Infinity;
    for (let i = 0; i < all.length; i += 1) for (let j = 0; j < i; j += 1) least = Math.min(least, Math.hypot(all[i]!.x - all[j]!.x, all[i]!.y - all[j]!.y));
    expect(least).toBeGreaterThan(25);
    const far = (a: string, b: string): number => Math.hypot(points.get(a)!.x - points.get(b)!.x, points.get(a)!.y - points.get(b)!.y);
    const facts = [...plainNet(shown).edges.values()].map((edge) => far(edge.source, edge.target));
    const mean = (values: number[]): number => values.reduce((sum, one) => sum + one, 0) / values.length;
    expect(mean(facts)).toBeLessThan(mean([...points.keys()].slice(1).map((id, index) => far(id, [...points.keys()][(index * 7) % points.size]!))));
  }, 60_000);

  it.each([2, 5])("fills a window although there are only %i things", (things) => {
    const memory = aMemory(things, "u");
    const points = [...arranged({ nodes: byId(memory.nodes), edges: byId(memory.edges) }).values()];
    const wide = Math.max(...points.map(({ x }) => x)) - Math.min(...points.map(({ x }) => x));
    const high = Math.max(...points.map(({ y }) => y)) - Math.min(...points.map(({ y }) => y));
    expect(Math.max(wide, high)).toBeGreaterThan(240);
  });

  it("is given up between two slices when it is no longer wanted", async () => {
    const net = plainNet(aNet(300));
    let looks = 0;
    const found = await inSlices(forceLayout([...net.nodes.keys()], [], () => "u"), () => (looks += 1) < 2, 0);
    expect([found, looks]).toEqual([null, 2]);
  });

  it("keeps places when the memory grows, and puts what is new beside what it belongs to", () => {
    const places = new NetPlaces(localStorage, "plain", { graph: new SharedPlaces("graph"), communities: new SharedPlaces("communities") });
    places.open(null, true);
    const shown = aNet(30);
    const net = plainNet(shown);
    expect(places.isBlank(net)).toBe(true);
    places.arrange(arranged(shown));
    const before = new Map(places.layout.points);
    const more = { nodes: new Map([...net.nodes, ["late", aNode("late")]]), edges: new Map([...net.edges, ["r", anEdge("r", "u-e3", "late")]]) };
    places.extendPlain(more);
    for (const [id, point] of before) expect([id, places.layout.points.get(id)]).toEqual([id, point]);
    const [late, beside] = [places.layout.points.get("late")!, before.get("u-e3")!];
    expect(Math.hypot(late.x - beside.x, late.y - beside.y)).toBeLessThan(260);
  });
});

describe("topics", () => {
  const user = aNode("u", { kind: "User" });
  const things = Array.from({ length: 6 }, (_, index) => aNode(`t${index}`, { label: `Thing ${index}`, entity_type: index < 4 ? "place" : "person" }));
  const map: CommunityMap = { t: "community_map", epoch: "e1", seq: 1, total: 2, users: [user], communities: [], links: [], community_of: { ...Object.fromEntries(things.map(({ id }) => [id, "t0"])), x: "x", y: "x" } };
  const net = { nodes: byId([user, ...things, aNode("x"), aNode("y")]), edges: byId(things.map((node, index) => anEdge(`r${index}`, "u", node.id, { predicate: "RELATES_TO", category: index < 5 ? "work" : null }))) };

  it("have enough things, and others have no colour of their own", () => {
    const found = topicsOf(net, map, 8, new Words("en"));
    expect(found.map((topic) => topic.members.length)).toEqual([6]);
    expect(found[0]!.members.length).toBeGreaterThanOrEqual(TOPIC_MIN);
  });

  it("are never named by a part of a sentence, unless there is nothing else", () => {
    const named = { nodes: byId([aNode("a", { label: "doctor told me to move more", evidence_n: 9 }), aNode("b", { label: "meat" }), aNode("c", { label: "beef" })]), edges: new Map() };
    expect(topicName(["a", "b", "c"], named, new Words("en"))).toBe("meat, beef");
    expect(topicName(["a"], named, new Words("en"))).toBe("doctor told me to move more");
  });

  it("are named by what their facts are about, else by the type of most things", () => {
    const ids = things.map(({ id }) => id);
    expect(topicName(ids, net, new Words("en"))).toBe("Work: Thing 0, Thing 1");
    expect(topicName(ids, net, new Words("zh"))).toBe("工作：Thing 0、Thing 1");
    const bare = { ...net, edges: new Map() };
    expect(topicName(ids, bare, new Words("en"))).toBe("Place: Thing 0, Thing 1");
    expect(topicName(["t3", "t4", "x", "y"], bare, new Words("en")), "no topic is made up").toBe("Thing 3, Thing 4");
  });
});
