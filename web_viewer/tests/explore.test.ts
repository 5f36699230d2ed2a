import { describe, expect, it, vi } from "vitest";
import { GraphStore } from "../src/graph/store";
import { Words } from "../src/i18n/words";
import type { GraphPart } from "../src/protocol/generated";
import { Communities } from "../src/view/communities";
import { Explore, MEANT_PEOPLE, SEARCH_EVERY_MS } from "../src/view/explore";
import { shownPart } from "../src/view/filters";
import { factAt, NOW } from "../src/view/moments";
import { onTrail, trailSteps, whyNoPath } from "../src/view/trail";
import { Undo } from "../src/view/undo";
import { aNode, anEdge, aPatch, aSnapshot, byId } from "./builders";

function aPart(seq: number, nodes: GraphPart["nodes"], edges: GraphPart["edges"], more: Partial<GraphPart> = {}): GraphPart {
  return { t: "graph_part", epoch: "e1", seq, total: nodes.length, nodes, edges, paths: [], said: [], ...more };
}

function aStore(): GraphStore {
  const store = new GraphStore();
  store.take(aSnapshot(5, [aNode("u", { kind: "User" })], []));
  return store;
}

describe("a part that was asked for", () => {
  it("adds what was not held, and is no news", () => {
    const store = aStore();
    const came = store.takePart(aPart(5, [aNode("u", { kind: "User" }), aNode("tea")], [anEdge("1", "u", "tea")]));
    expect(came).toEqual(["tea", "1"]);
    expect(store.state.total).toEqual({ nodes: 1, edges: 0 });
    expect([...store.newIds]).toEqual([]);
  });

  it("never overrides what changed or went while it was on its way", () => {
    const store = aStore();
    store.take(aPatch(5, 6, [["node+", aNode("tea", { label: "green tea" })], ["node+", aNode("rain")]]));
    store.take(aPatch(6, 7, [["node-", "rain"]]));
    store.takePart(aPart(5, [aNode("tea", { label: "tea" }), aNode("rain"), aNode("sun")], [anEdge("1", "sun", "rain")]));
    expect(store.state.nodes.get("tea")?.label).toBe("green tea");
    expect(store.state.nodes.has("rain")).toBe(false);
    expect(store.state.nodes.has("sun")).toBe(true);
    expect(store.state.edges.size).toBe(0);
  });

  it("of another life of the memory is not taken", () => {
    const store = aStore();
    expect(store.takePart(aPart(9, [aNode("tea")], [], { epoch: "e2" }))).toEqual([]);
    expect(store.state.nodes.size).toBe(1);
  });
});

describe("looking back", () => {
  const edge = anEdge("1", "u", "tea", { valid_at: "2026-01-10T00:00:00Z", invalid_at: "2026-03-10T00:00:00Z", known_at: "2026-02-01T00:00:00Z", closing_known_at: "2026-04-01T00:00:00Z" });
  const at = (validAt: string | null, asOf: string | null) => factAt(edge, { validAt, asOf });

  it.each([
    ["before it held", "2026-01-01T00:00:00Z", null, "nothing"],
    ["while it held", "2026-02-01T00:00:00Z", null, "open"],
    ["after it held", "2026-03-11T00:00:00Z", null, "closed"],
    ["before it was heard", null, "2026-01-20T00:00:00Z", "nothing"],
    ["before its end was heard", null, "2026-03-20T00:00:00Z", "open"],
    ["after its end was heard", null, "2026-04-02T00:00:00Z", "closed"],
    ["of now by what was known then", "2026-05-01T00:00:00Z", "2026-03-20T00:00:00Z", "open"],
  ])("shows a fact %s", (_, validAt, asOf, found) => {
    const seen = at(validAt, asOf);
    expect(seen === null ? "nothing" : seen.invalid_at === null ? "open" : "closed").toBe(found);
  });

  it("hides things that had not turned up", () => {
    const state = { nodes: byId([aNode("u", { kind: "User", first_seen: "2026-01-01T00:00:00Z" }), aNode("tea")]), edges: new Map() };
    const shown = shownPart(state, { hidden: new Set(), moments: { validAt: "2026-02-01T00:00:00Z", asOf: null } });
    expect([...shown.nodes.keys()]).toEqual(["u"]);
  });
});

describe("filters", () => {
  const nodes = byId([aNode("u", { kind: "User" }), aNode("job"), aNode("tea"), aNode("cup")]);
  const edges = byId([
    anEdge("1", "u", "job", { predicate: "RELATES_TO", category: "work", confidence: 0.9 }),
    anEdge("2", "u", "tea", { category: "preferences", confidence: 0.4 }),
    anEdge("3", "tea", "cup", { category: "work", confidence: 0.9, predicate: "RELATES_TO" }),
  ]);
  const shown = (more: object) => [...shownPart({ nodes, edges }, { hidden: new Set<string>(), moments: NOW, ...more }).edges.keys()];

  it("hide a group of what is said of people, not of things", () => {
    expect(shown({ hidden: new Set(["about:work"]) })).toEqual(["2", "3"]);
  });

  it("hide what is less certain, what was put away, and what is not around the chosen thing", () => {
    expect(shown({ confidence: 0.5 })).toEqual(["1", "3"]);
    expect(shown({ veiled: new Set(["tea"]) })).toEqual(["1"]);
    expect(shown({ ego: "tea" })).toEqual(["2", "3"]);
  });
});

describe("a path", () => {
  const edges = [anEdge("weak", "a", "b", { strength: 0.1 }), anEdge("strong", "b", "a", { strength: 0.9 }), anEdge("2", "b", "c", { relation: "lives in" }), anEdge("off", "c", "d")];

  it("holds the links between its things and reads as a sentence", () => {
    const trail = { source: "a", target: "c", paths: [["a", "b", "c"]], at: 0 };
    expect([...(onTrail(trail, edges) ?? [])].sort()).toEqual(["2", "a", "b", "c", "strong", "weak"]);
    const steps = trailSteps(["a", "b", "c"], byId(["a", "b", "c"].map((id) => aNode(id))), edges, new Words("en"));
    expect(steps.map((step) => [step.from, step.words, step.to])).toEqual([["a", "liked by", "b"], ["b", "lives in", "c"]]);
  });
});

describe("two things without a path between them", () => {
  const trail = { source: "ann", target: "bob", paths: [], at: 0 };

  it("dim nothing", () => {
    expect(onTrail(trail, [anEdge("1", "ann", "tea")])).toBeNull();
  });

  it.each([
    ["of different memories", "bob", "path.apart"],
    ["of one memory", "ann", "path.none"],
  ])("%s say why", (_, owner, said) => {
    expect(whyNoPath(trail, byId([aNode("ann", { kind: "User", user_id: "ann" }), aNode("bob", { user_id: owner })]))).toBe(said);
    for (const lang of ["en", "zh"] as const) expect(new Words(lang).t(said as "path.apart", { from: "Ann", to: "Bob" })).toMatch(/Ann.*Bob/s);
  });
});

describe("undo", () => {
  it("takes back in order and forgets what was taken back after a new action", () => {
    const told: object[] = [];
    const undo = new Undo((can) => told.push(can));
    const log: string[] = [];
    for (const name of ["a", "b"]) undo.note({ undo: () => log.push(`-${name}`), redo: () => log.push(`+${name}`) });
    undo.undo();
    undo.undo();
    undo.undo();
    undo.redo();
    undo.note({ undo: () => log.push("-c"), redo: () => log.push("+c") });
    undo.redo();
    expect(log).toEqual(["-b", "-a", "+a"]);
    expect(told.at(-1)).toEqual({ undo: true, redo: false, text: null });
  });
});

describe("the search over the whole memory", () => {
  it("tells why it failed instead of that there is nothing, and is asked again", async () => {
    vi.useFakeTimers();
    let refuses = true;
    vi.stubGlobal("fetch", async (path: string) => {
      if (refuses && path === "graphql") return new Response(JSON.stringify({ errors: [{ message: "the search was too slow" }] }));
      return new Response(JSON.stringify(path === "graphql" ? { data: { recall: { hits: [] } } } : aPart(1, [], [])));
    });
    const explore = new Explore({ tenant: "t", store: aStore(), user: () => "ann", people: () => ["ann"] });
    explore.search("which tea");
    await vi.runAllTimersAsync();
    expect(explore.searchFailure.value).toEqual({ kind: "refused", why: "the search was too slow" });
    refuses = false;
    explore.search("which tea");
    expect([explore.searchFailure.value, explore.searching.value, explore.recalling.value]).toEqual([null, true, true]);
    await vi.runAllTimersAsync();
    expect([explore.searchFailure.value, explore.recalling.value]).toEqual([null, false]);
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  it("fetches as many members of an opened community again as it showed", async () => {
    const asked: string[] = [];
    vi.stubGlobal("fetch", async (path: string) => {
      asked.push(path);
      return new Response(JSON.stringify(aPart(1, [aNode("tea")], [])));
    });
    const explore = new Explore({ tenant: "t", store: aStore(), user: () => null, people: () => [] });
    await explore.community("c", 160);
    await explore.fetchAgain();
    expect(asked).toEqual(Array(2).fill("api/explore/community/c?limit=160"));
    vi.unstubAllGlobals();
  });

  it("shows what is said by meaning only of memories that have an answer", async () => {
    vi.useFakeTimers();
    const doubtful = new Set(["bart"]);
    vi.stubGlobal("fetch", async (path: string, { body }: { body?: string } = {}) => {
      if (path !== "graphql") return new Response(JSON.stringify(aPart(1, [], [])));
      const { userId } = (JSON.parse(body ?? "{}") as { variables: { userId: string } }).variables;
      const hits = [{ kind: "FACT", id: userId, score: userId === "bart" ? 0.9 : 0.4, text: "", title: null, saidAt: "" }];
      return new Response(JSON.stringify({ data: { recall: { nothingRelevant: doubtful.has(userId), hits } } }));
    });
    const explore = new Explore({ tenant: "t", store: aStore(), user: () => null, people: () => ["bart", "lisa"] });
    const found = async (): Promise<string[]> => {
      explore.search("");
      explore.search("dinosaurs");
      await vi.runAllTimersAsync();
      return explore.meant.value.map((hit) => hit.id);
    };
    expect(await found()).toEqual(["lisa"]);
    doubtful.add("lisa");
    expect(await found()).toEqual([]);
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  it("ends what is listed by meaning where relevance drops", async () => {
    vi.useFakeTimers();
    // As a memory answers "zoo": four messages about it, then what shares its mood only.
    const scores = [1.003, 0.987, 0.939, 0.835, 0.595, 0.457];
    vi.stubGlobal("fetch", async (path: string) => {
      const hits = scores.map((score, at) => ({ kind: "FACT", id: String(at), score, text: "", title: null, saidAt: "" }));
      return new Response(JSON.stringify(path === "graphql" ? { data: { recall: { nothingRelevant: false, hits } } } : aPart(1, [], [])));
    });
    const explore = new Explore({ tenant: "t", store: aStore(), user: () => "bart", people: () => ["bart"] });
    explore.search("zoo");
    await vi.runAllTimersAsync();
    expect(explore.meant.value.map((hit) => hit.id)).toEqual(["0", "1", "2", "3"]);
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  it("by meaning asks everyone, a few at a time, and after many only on request", async () => {
    vi.useFakeTimers();
    const people = Array.from({ length: MEANT_PEOPLE + 5 }, (_, index) => `p${index}`);
    let [now, most] = [0, 0];
    vi.stubGlobal("fetch", async (path: string, { body }: { body?: string } = {}) => {
      if (path !== "graphql") return new Response(JSON.stringify(aPart(1, [], [])));
      most = Math.max(most, (now += 1));
      await new Promise((done) => setTimeout(done, 50));
      now -= 1;
      const { userId } = (JSON.parse(body ?? "{}") as { variables: { userId: string } }).variables;
      const hits = [{ kind: "FACT", id: userId, score: 1 + Number(userId.slice(1)) / 100, text: "", title: null, saidAt: "" }];
      return new Response(JSON.stringify({ data: { recall: { nothingRelevant: false, hits } } }));
    });
    const explore = new Explore({ tenant: "t", store: aStore(), user: () => null, people: () => people });
    explore.search("dinosaurs");
    await vi.advanceTimersByTimeAsync(200 + 120);
    expect([explore.meaning.value.asked, explore.meant.value.length, explore.recalling.value]).toEqual([6, 6, true]);
    await vi.runAllTimersAsync();
    expect([explore.meaning.value.asked, explore.meant.value[0]?.user, explore.recalling.value]).toEqual([MEANT_PEOPLE, `p${MEANT_PEOPLE - 1}`, false]);
    void explore.recallFurther();
    await vi.runAllTimersAsync();
    expect([explore.meaning.value.asked, explore.meant.value[0]?.user, most]).toEqual([people.length, people.at(-1), 3]);
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  it("goes before the communities, which are computed once nobody has searched for five seconds", async () => {
    vi.useFakeTimers();
    const asked: string[] = [];
    vi.stubGlobal("fetch", async (path: string) => {
      asked.push(path.split("?")[0] as string);
      if (path === "graphql") await new Promise((done) => setTimeout(done, 5_000));
      return new Response(JSON.stringify(path === "graphql" ? { data: { recall: { hits: [] } } } : aPart(1, [], [])));
    });
    const explore = new Explore({ tenant: "t", store: aStore(), user: () => "ann", people: () => ["ann"] });
    const communities = new Communities("t", explore, () => null, () => Date.now());
    const began = communities.loadWhenIdle(1, "e1");
    await vi.advanceTimersByTimeAsync(4_500);
    expect(asked).toEqual([]);
    explore.search("which tea");
    await vi.advanceTimersByTimeAsync(5_000);
    expect(asked).toEqual(["api/explore/search", "graphql"]);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(asked.at(-1)).toBe("api/explore/communities");
    await began;
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  it("asks at once after a pause, and while the user types no more often than it may", async () => {
    vi.useFakeTimers();
    const asked: (string | null)[] = [];
    vi.stubGlobal("fetch", async (path: string) => {
      if (path !== "graphql") asked.push(new URLSearchParams(path.split("?")[1]).get("q"));
      return new Response(JSON.stringify(path === "graphql" ? { data: { recall: { hits: [] } } } : aPart(1, [], [])));
    });
    const explore = new Explore({ tenant: "t", store: aStore(), user: () => "ann", people: () => ["ann"] });
    const type = (...queries: string[]): void => queries.forEach((query) => explore.search(query));
    type("q", "qu", "quo");
    expect(asked).toEqual(["q"]);
    await vi.advanceTimersByTimeAsync(SEARCH_EVERY_MS);
    expect(asked).toEqual(["q", "quo"]);
    await vi.advanceTimersByTimeAsync(SEARCH_EVERY_MS);
    type("quok");
    expect(asked).toEqual(["q", "quo", "quok"]);
    type("quokk", "");
    await vi.runAllTimersAsync();
    expect(asked).toEqual(["q", "quo", "quok"]);
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  it("asks for the last words, and takes no late answer", async () => {
    vi.useFakeTimers();
    const asked: string[] = [];
    vi.stubGlobal("fetch", async (path: string) => {
      asked.push(path);
      return new Response(JSON.stringify(aPart(1, [aNode("tea")], [])));
    });
    const explore = new Explore({ tenant: "茶", store: aStore(), user: () => "小林", people: () => ["小林"] });
    explore.search("t");
    explore.search("te");
    await vi.runAllTimersAsync();
    expect(asked.at(-1)).toBe("api/explore/search?q=te&user=%E5%B0%8F%E6%9E%97&limit=100");
    expect(explore.farHits.value.map((node) => node.id)).toEqual(["tea"]);
    explore.search("tea");
    vi.advanceTimersByTime(200);
    explore.search("");
    await vi.runAllTimersAsync();
    expect(explore.farHits.value).toEqual([]);
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });
});
