import { describe, expect, it, vi } from "vitest";
import { closedWords, factSentence, isStruck, linksOf, neverHeld } from "../src/graph/facts";
import { applyFrame, EMPTY_STATE } from "../src/graph/reduce";
import { Words } from "../src/i18n/words";
import { listRows, rowOf } from "../src/list/tree";
import { Throttle } from "../src/map/throttle";
import { stepTo } from "../src/map/arrowKeys";
import { lastMention, overviewBlocks, plainBlocks, quoteParts, standingOf } from "../src/panel/evidence";
import { type Address, isStep, readAddress, tenantOf, writeAddress } from "../src/view/address";
import { AGREEING, confidenceLevels, countBy, countTotals, PAST, revealing, shownPart, SURE } from "../src/view/filters";
import { hitNote, searchFacts, searchNodes } from "../src/view/search";
import { aMemory, aNode, anEdge, aSnapshot, byId } from "./builders";

const WORDS = new Words("en");

function stateOf(memory: ReturnType<typeof aMemory>) {
  return applyFrame(EMPTY_STATE, aSnapshot(1, memory.nodes, memory.edges)).state;
}

describe("the list", () => {
  it("holds every node and every edge of the map", () => {
    const memory = aMemory(40);
    memory.nodes.push(aNode("alone"), aNode("v", { kind: "User" }));
    const rows = listRows(stateOf(memory), WORDS, new Set());
    const ids = new Set(rows.flatMap((row) => [row.id, row.edge?.target]));
    for (const item of [...memory.nodes, ...memory.edges]) expect([item.id, ids.has(item.id)]).toEqual([item.id, true]);
    expect(new Set(rows.map((row) => row.key)).size).toBe(rows.length);
  });

  it("leaves out what is below a folded row", () => {
    const state = stateOf(aMemory(10));
    const folded = listRows(state, WORDS, new Set(["u"]));
    expect(folded.filter((row) => row.edge?.source === "u")).toEqual([]);
  });

  it("goes to the row of a selected element, or of a fact about it", () => {
    const state = stateOf({ nodes: [aNode("u", { kind: "User" }), aNode("tea"), aNode("x")], edges: [anEdge("1", "u", "tea")] });
    const rows = listRows(state, WORDS, new Set());
    expect([rowOf(rows, "u")?.key, rowOf(rows, "1")?.key, rowOf(rows, "tea")?.key, rowOf(rows, "gone")]).toEqual(["u", "1", "1", null]);
  });

  it("counts what is there in a memory of which a part is loaded", () => {
    const alike = { relation: null, category: "preferences", kind: "Entity", entity_type: null, avoided: false };
    const totals = { t: "map_totals" as const, epoch: "e1", seq: 1, nodes: { alice: { User: 1, Entity: 6 }, bob: { User: 1, Entity: 2 } }, facts: [{ ...alike, subject: "u", predicate: "PREFERS", n: 3 }, { ...alike, subject: "u", predicate: "PREFERS", kind: "User", n: 1 }, { ...alike, subject: "v", predicate: "PREFERS", n: 9 }, { ...alike, subject: "v", predicate: "DISLIKES", n: 3 }, { ...alike, subject: "v", predicate: "DISLIKES", avoided: true, n: 2 }, { ...alike, subject: "", category: null, kind: null, predicate: "RELATES_TO", n: 5 }], past: 4, unsure: 0 };
    const state = stateOf({ nodes: [aNode("u", { kind: "User" }), aNode("a"), aNode("b")], edges: [anEdge("1", "u", "a"), anEdge("2", "u", "b")] });
    const wholeOf = (rows: ReturnType<typeof listRows>) => rows.filter((row) => row.predicate && row.depth === 1).map((row) => [row.valid, row.whole]);
    expect(wholeOf(listRows(state, WORDS, new Set(), totals))).toEqual([[2, 4]]);
    expect(wholeOf(listRows(state, WORDS, new Set()))).toEqual([[2, null]]);
    expect(countTotals(totals)).toEqual(new Map([["User", 2], ["Entity", 8], ["PREFERS", 13], ["about:likes", 13], ["DISLIKES", 5], ["about:dislikes", 3], ["about:avoids", 2], ["RELATES_TO", 5], [PAST, 4], [SURE, 0]]));
    expect(countTotals({ ...totals, unsure: 2 }).get(SURE)).toBe(2);
  });

  it("counts in a group what is true now", () => {
    const edges = [anEdge("1", "u", "a"), anEdge("2", "u", "b", { valid_at: "2025-01-01T00:00:00Z", invalid_at: "2026-01-01T00:00:00Z" })];
    const rows = listRows(stateOf({ nodes: [aNode("u", { kind: "User" }), aNode("a"), aNode("b")], edges }), WORDS, new Set());
    expect(rows.filter((row) => row.predicate && row.depth === 1).map((row) => [row.children, row.valid])).toEqual([[2, 1]]);
  });

  it("says facts of other relations as sentences", () => {
    const nodes = [aNode("u", { kind: "User", label: "Bart" }), aNode("o", { label: "Oliver" }), aNode("b", { label: "Berlin" })];
    const edges = [
      anEdge("1", "u", "o", { predicate: "RELATES_TO", relation: "cousin", category: "relationships", statement: "Oliver is Bart's cousin", strength: 0.9 }),
      anEdge("2", "u", "b", { predicate: "RELATES_TO", relation: "lives in" }),
    ];
    const rows = listRows(stateOf({ nodes, edges }), WORDS, new Set());
    expect(rows.filter((row) => row.edge).map((row) => row.label)).toEqual(["Oliver is Bart's cousin", "Bart lives in Berlin"]);
  });
});

describe("a fact that was past when it was first told", () => {
  const at = { valid_at: "2026-11-05T19:02:00Z", invalid_at: "2026-11-05T19:02:00Z", known_at: "2026-11-26T13:15:29.610709Z" };
  const cello = anEdge("1", "u", "cello", { predicate: "RELATES_TO", relation: "plays", statement: "Ann no longer plays cello.", ...at, closing_known_at: at.known_at });
  const rejected = anEdge("2", "u", "tea", { ...at, closing_known_at: "2026-11-26T14:00:00Z" });
  const over = anEdge("3", "u", "rome", { ...at, valid_at: "2026-01-01T00:00:00Z", closing_known_at: at.known_at });

  it("held, and its statement is not struck through, unlike those of others", () => {
    expect([cello, rejected, over].map(neverHeld)).toEqual([false, true, false]);
    expect([cello, rejected, over].map(isStruck)).toEqual([false, true, true]);
    expect([cello, rejected, over].map((edge) => WORDS.t(closedWords(edge)))).toEqual(["past", "never true", "no longer true"]);
  });

  it("is shown and counted as past", () => {
    const state = stateOf({ nodes: [aNode("u", { kind: "User" }), aNode("cello"), aNode("tea")], edges: [cello, rejected] });
    expect([...shownPart(state, { hidden: new Set() }).edges.keys()]).toEqual(["1"]);
    expect(countBy(state).get("past")).toBe(1);
    expect(standingOf(cello, null).state).toBe("past");
    expect(listRows(state, WORDS, new Set()).find((row) => row.id === "1")?.closed).toBe(true);
  });
});

describe("a fact without a statement", () => {
  const name = (id: string) => ({ u: "Bart", o: "Oliver" })[id];

  it.each([
    ["en", { relation: "lives in" }, "Bart lives in Oliver"],
    ["zh", { relation: "lives in" }, "Bart 住在 Oliver"],
    ["en", { relation: null, predicate: "DISLIKES" }, "Bart dislikes Oliver"],
    ["en", { relation: "cousin" }, "Oliver is Bart’s cousin"],
  ] as const)("is said in %s from its relation %o", (lang, more, said) => {
    expect(factSentence(anEdge("1", "u", "o", more), name, new Words(lang))).toBe(said);
  });
});

describe("filters", () => {
  it("hide a thing that only hidden links lead to, but never the user", () => {
    const state = stateOf({ nodes: [aNode("u", { kind: "User" }), aNode("a"), aNode("b")], edges: [anEdge("1", "u", "a"), anEdge("2", "u", "b", { predicate: "DISLIKES" })] });
    expect([...shownPart(state, { hidden: new Set(["PREFERS"]) }).nodes.keys()]).toEqual(["u", "b"]);
    expect([...shownPart(state, { hidden: new Set(["PREFERS", "DISLIKES"]) }).nodes.keys()]).toEqual(["u"]);
    expect([...shownPart(state, { hidden: new Set(["Entity"]) }).edges.keys()]).toEqual([]);
  });

  it("hide past facts on request and count them", () => {
    const state = stateOf({ nodes: [aNode("u"), aNode("a")], edges: [anEdge("old", "u", "a", { valid_at: "2025-01-01T00:00:00Z", invalid_at: "2026-01-01T00:00:00Z" }), anEdge("new", "u", "a")] });
    expect([...shownPart(state, { hidden: new Set(["past"]) }).edges.keys()]).toEqual(["new"]);
    expect(countBy(state).get("past")).toBe(1);
  });

  const OVER = { valid_at: "2025-01-01T00:00:00Z", invalid_at: "2026-01-01T00:00:00Z" };
  const REJECTED = { valid_at: "2025-01-01T00:00:00Z", invalid_at: "2025-01-01T00:00:00Z" };

  it("count only what is true now, and show no fact that was never true", () => {
    const nodes = [aNode("u", { kind: "User" }), aNode("a"), aNode("b"), aNode("c")];
    const state = stateOf({ nodes, edges: [anEdge("1", "u", "a"), anEdge("2", "u", "b", OVER), anEdge("3", "u", "c", REJECTED)] });
    const counts = countBy(state);
    expect([counts.get("PREFERS"), counts.get("past"), counts.get("about:likes")]).toEqual([1, 1, 1]);
    const shown = shownPart(state, { hidden: new Set() });
    expect([[...shown.edges.keys()], [...shown.nodes.keys()]]).toEqual([["1", "2"], ["u", "a", "b"]]);
  });

  it("count what was true at the time that is shown", () => {
    const state = stateOf({ nodes: [aNode("u", { kind: "User", first_seen: OVER.valid_at }), aNode("a", { first_seen: OVER.valid_at }), aNode("b")], edges: [anEdge("1", "u", "a", OVER), anEdge("2", "u", "b", { valid_at: "2026-02-01T00:00:00Z" })] });
    const then = shownPart(state, { hidden: new Set(), moments: { validAt: "2025-06-01T00:00:00Z", asOf: null } });
    expect([countBy(then).get("PREFERS"), countBy(then).get("past")]).toEqual([1, undefined]);
  });

  it("keep with a minimum of certainty only things of which a certain fact is known, and the scenes that mention them", () => {
    const nodes = [aNode("u", { kind: "User" }), aNode("sure"), aNode("unsure"), aNode("s1", { kind: "Scene" }), aNode("s2", { kind: "Scene" })];
    const mention = (id: string, scene: string, thing: string) => anEdge(id, scene, thing, { predicate: "MENTIONED", confidence: 1 });
    const edges = [anEdge("1", "u", "sure", { confidence: 1 }), anEdge("2", "u", "unsure", { confidence: 0.75 }), mention("3", "s1", "sure"), mention("4", "s1", "u"), mention("5", "s2", "unsure"), mention("6", "s2", "u")];
    const state = stateOf({ nodes, edges });
    expect(confidenceLevels(state.edges.values())).toEqual([0, 1]);
    const shown = shownPart(state, { hidden: new Set(), confidence: 1 });
    expect([[...shown.nodes.keys()], [...shown.edges.keys()]]).toEqual([["u", "sure", "s1"], ["1", "3", "4"]]);
  });

  it("offer no more than a few steps of certainty, each of which hides something", () => {
    const edges = Array.from({ length: 60 }, (_, index) => anEdge(`e${index}`, "u", "a", { confidence: 0.4 + index / 100 }));
    const levels = confidenceLevels(edges);
    expect([levels.length <= 9, levels[0], levels.at(-1)]).toEqual([true, 0, 0.99]);
    expect(confidenceLevels([anEdge("1", "u", "a")])).toEqual([0]);
  });
});

describe("showing a search hit", () => {
  const nodes = [aNode("u", { kind: "User" }), aNode("a"), aNode("b")];
  const state = stateOf({ nodes, edges: [anEdge("1", "u", "a"), anEdge("2", "u", "b", { predicate: "DISLIKES", confidence: 0.5 })] });

  it("ends only what hides it", () => {
    expect(revealing(state, { hidden: new Set(["CARES_ABOUT"]), ego: "a" }, "b")).toMatchObject({ dropped: ["ego"], filter: { ego: null, hidden: new Set(["CARES_ABOUT"]) } });
    expect(revealing(state, { hidden: new Set(), veiled: new Set(["b", "a"]) }, "b")).toMatchObject({ dropped: ["veiled"], filter: { veiled: new Set(["a"]) } });
    expect(revealing(state, { hidden: new Set(["DISLIKES"]), ego: "u" }, "b")?.dropped).toEqual(["hidden"]);
    expect(revealing(state, { hidden: new Set(), confidence: 0.8 }, "b")?.dropped).toEqual(["confidence"]);
  });

  it("changes nothing when it is shown or does not exist", () => {
    expect([revealing(state, { hidden: new Set(), ego: "u" }, "b"), revealing(state, { hidden: new Set(), ego: "a" }, "gone")]).toEqual([null, null]);
  });
});

describe("the last mention of a fact", () => {
  const quote = (said_at: string) => ({ message_id: "m", uri: null, speaker: null, role: "user", said_at, text: "", quote_start: null, quote_end: null, scene_id: null, scene_label: null, tags: [] });
  const [said, corrected] = ["2023-09-10T12:00:00Z", "2026-11-24T02:44:00Z"];

  it("is not the correction that came later", () => {
    const corrections = [{ id: "c", kind: "confirm", by: null, at: corrected }];
    expect(lastMention(corrected, { corrections, evidence: [quote("2022-01-01T12:00:00Z"), quote(said)] })).toBe(said);
    expect(lastMention(said, { corrections: [], evidence: [] })).toBe(said);
    expect(lastMention(corrected, { corrections, evidence: [] })).toBe(corrected);
  });
});

describe("the standing of a fact", () => {
  const ended = { valid_at: "2025-01-01T00:00:00Z", invalid_at: "2026-01-01T00:00:00Z" };
  const closing = { reason: "rejected", fact_id: null, fact_statement: null, message_text: null };
  const at = "2026-02-01T00:00:00Z";

  it("names who rejected it, and tells an end from never having been true", () => {
    expect(standingOf({ valid_at: null, invalid_at: null }, null)).toEqual({ state: "holds", by: null });
    expect(standingOf(ended, null)).toEqual({ state: "over", by: null });
    expect(standingOf({ ...ended, invalid_at: ended.valid_at }, null)).toEqual({ state: "never", by: null });
    expect(standingOf(ended, { closing, corrections: [{ id: "1", kind: "confirm", by: "Ann", at }, { id: "2", kind: "reject", by: "Bob", at }] })).toEqual({ state: "rejected", by: "Bob" });
  });
});

describe("lenses", () => {
  const nodes = byId([aNode("u", { kind: "User" }), ...["tea", "rome", "oslo", "cat"].map((id) => aNode(id)), aNode("s", { kind: "Scene" })]);
  const over = { valid_at: "2025-01-01T00:00:00Z", invalid_at: "2026-01-01T00:00:00Z" };
  const edges = byId([
    anEdge("likes", "u", "tea"),
    anEdge("dislikes", "u", "tea", { predicate: "DISLIKES" }),
    anEdge("home", "u", "rome", { predicate: "RELATES_TO", relation: "lives in" }),
    anEdge("home2", "u", "oslo", { predicate: "RELATES_TO", relation: "lives in" }),
    anEdge("home3", "u", "cat", { predicate: "RELATES_TO", relation: "lives in", ...over }),
    anEdge("has", "u", "cat", { predicate: "RELATES_TO", relation: "has", confidence: 0.4 }),
    anEdge("m", "s", "cat", { predicate: "MENTIONED", confidence: 0.2 }),
  ]);

  it("leave only what they look at, with its ends", () => {
    const unsure = shownPart({ nodes, edges }, { hidden: new Set([SURE]) });
    expect([[...unsure.edges.keys()], [...unsure.nodes.keys()].sort()]).toEqual([["has"], ["cat", "u"]]);
    const told = new Map([["dislikes", "likes"], ["likes", "dislikes"], ["home", "home2"], ["home2", "home"], ["has", "not on this page"]].map(([one, other]) => [one, other] as [string, string]));
    const conflicts = shownPart({ nodes, edges }, { hidden: new Set([AGREEING]), conflicts: told });
    expect([...conflicts.edges.keys()].sort()).toEqual(["dislikes", "has", "home", "home2", "likes"]);
    expect([countBy({ nodes, edges }, told).get(SURE), countBy({ nodes, edges }, told).get(AGREEING)]).toEqual([1, 2]);
    const none = shownPart({ nodes: new Map([...nodes, ["v", aNode("v", { kind: "User" })]]), edges }, { hidden: new Set([AGREEING]) });
    expect([none.edges.size, none.nodes.size]).toEqual([0, 0]);
  });

  it("of one topic leave no thing without its line", () => {
    const kin = anEdge("kin", "u", "oslo", { predicate: "RELATES_TO", category: "relationships" });
    const work = anEdge("work", "u", "rome", { predicate: "RELATES_TO", category: "work" });
    const all = byId([kin, work, anEdge("m1", "s", "rome", { predicate: "MENTIONED" }), anEdge("m2", "s", "cat", { predicate: "MENTIONED" }), anEdge("m3", "s", "oslo", { predicate: "MENTIONED" }), anEdge("in", "tea", "cat", { predicate: "RELATES_TO" })]);
    const only = shownPart({ nodes, edges: all }, { hidden: new Set(["about:work"]) });
    expect([[...only.nodes.keys()].sort(), [...only.edges.keys()].sort()]).toEqual([["oslo", "s", "u"], ["kin", "m3"]]);
    const ended = byId([...all.values(), anEdge("goal", "u", "tea", { predicate: "CARES_ABOUT", valid_at: "2025-01-01T00:00:00Z", invalid_at: "2026-01-01T00:00:00Z" })]);
    expect([...shownPart({ nodes, edges: ended }, { hidden: new Set(["about:work"]) }).nodes.keys()], "a group of ended facts is not listed").toEqual([...only.nodes.keys()]);
    const both = byId([...all.values(), anEdge("goal", "u", "tea", { category: "goals" })]);
    expect([...shownPart({ nodes, edges: both }, { hidden: new Set(["about:work"]) }).nodes.keys()].sort()).toEqual(["cat", "oslo", "rome", "s", "tea", "u"]);
  });
});

describe("search among facts", () => {
  const names = new Map([["u", "Ana"], ["o", "Oliver"], ["t", "tea"]]);
  const edges = [
    anEdge("kin", "u", "o", { predicate: "RELATES_TO", relation: "cousin", statement: "Oliver is Ana's cousin.", strength: 0.9 }),
    anEdge("likes", "u", "t", { statement: "Ana likes tea." }),
    anEdge("m", "s", "t", { predicate: "MENTIONED" }),
  ];
  const found = (query: string, words = WORDS) => searchFacts(edges, query, (id) => names.get(id), words).map((edge) => edge.id);

  it("finds them by relation, by type of link, and by their words in any order; never mentions", () => {
    expect([found("cousin"), found("likes"), found("喜欢", new Words("zh")), found("tea ana"), found("mentions"), found("  ")]).toEqual([["kin"], ["likes"], ["likes"], ["likes"], [], []]);
  });

  it("finds things by their type, after those of that name", () => {
    const nodes = [aNode("a", { label: "Rome", entity_type: "place" }), aNode("b", { label: "Place Pigalle" }), aNode("c", { label: "tea" })];
    expect(searchNodes(nodes, "place", WORDS).map((node) => node.id)).toEqual(["b", "a"]);
    expect(searchNodes(nodes, "地点", new Words("zh")).map((node) => node.id)).toEqual(["a"]);
  });
});

describe("search", () => {
  const nodes = [aNode("1", { label: "乌龙茶" }), aNode("2", { label: "jasmine tea", aliases: ["茉莉花茶"] }), aNode("3", { label: "steam" }), aNode("4", { label: "Tea" })];

  it("puts things before the scenes that are named after them", () => {
    const told = [aNode("s", { kind: "Scene", label: "Lisa loves tea", evidence_n: 9 }), aNode("t", { label: "jasmine tea", evidence_n: 1 })];
    expect(searchNodes(told, "tea").map((node) => node.id)).toEqual(["t", "s"]);
  });

  it.each([
    ["茶", ["1", "2"]],
    ["tea", ["4", "2"]],
    ["ＴＥＡ", ["4", "2"]],
    ["ea", []],
    [" ", []],
  ])("finds %s", (query, found) => {
    expect(searchNodes(nodes, query).map((node) => node.id)).toEqual(found);
  });
});

describe("hits of one name", () => {
  const owners = new Map([["alice", "Alice"]]);
  const moved = { first_seen: "2024-01-10T12:00:00Z", last_seen: "2025-03-01T12:00:00Z" };

  it("are told apart by owner, type and dates", () => {
    const node = aNode("x", { entity_type: "person", ...moved });
    expect(hitNote(node, owners, true, WORDS)).toBe("Alice · person · 10 Jan 2024 – 1 Mar 2025");
    expect(hitNote(node, owners, false, new Words("zh"))).toBe("人物 · 2024年1月10日 – 2025年3月1日");
    expect(hitNote(aNode("u", { kind: "User" }), owners, true, WORDS)).toBe("20 Nov 2026");
  });
});

describe("the address", () => {
  it.each([
    ["#/map", "#/map?sel=a", true],
    ["#/map?sel=a", "#/time?sel=a", true],
    ["#/map", "#/map?around=a", true],
    ["#/map", "#/map?user=bob", true],
    ["#/map?true=2025-01-01T00:00:00Z", "#/map?true=2026-01-01T00:00:00Z", false],
    ["#/map", "#/map?hide=Scene&sure=0.5&veil=a", false],
    ["", "#/map", false],
  ])("from %s to %s is a step for the Back button: %s", (before, after, step) => {
    expect(isStep(before, after)).toBe(step);
  });

  it("reads what it wrote", () => {
    const address: Address = { tab: "list", side: "now", user: "小林", sel: "e/4?&", hide: ["MENTIONED", "Scene"], veil: ["e1", "e2"], scenes: ["bob", "小林"], sure: 0.35, ego: "tea", path: ["a&b", "茶"], validAt: "2026-03-01T00:00:00Z", asOf: null };
    expect(readAddress(writeAddress(address))).toEqual(address);
  });

  it("reads a bare link to a user and a tenant", () => {
    expect(readAddress("#/?user=alice")).toMatchObject({ tab: null, user: "alice", sel: null, hide: [], sure: 0, ego: null, path: null, validAt: null });
    expect(readAddress("#/?user=&sel=&around=")).toMatchObject({ user: null, sel: null, ego: null });
    expect(readAddress("#/map?true=never&sure=7")).toMatchObject({ tab: "map", validAt: null, sure: 0 });
    expect([tenantOf("?tenant=lab"), tenantOf("")]).toEqual(["lab", "default"]);
  });
});

describe("quotes", () => {
  it("mark characters, not UTF-16 units", () => {
    expect(quoteParts({ text: "☕🍵 我爱茶", quote_start: 3, quote_end: 6 })).toEqual({ before: "☕🍵 ", marked: "我爱茶", after: "" });
  });

  it("stay whole when the marks make no sense", () => {
    for (const [start, end] of [[null, null], [4, 2], [90, 99]]) {
      expect(quoteParts({ text: "tea", quote_start: start ?? null, quote_end: end ?? null })).toEqual({ before: "tea", marked: "", after: "" });
    }
  });
});

describe("markdown of a model", () => {
  it("does not say again what the summary above it says", () => {
    const overview = "## Summary\nThey had tea.\n\n## Topics\n- tea";
    expect(overviewBlocks(overview, "They had tea.", WORDS).map((block) => block.text)).toEqual(["Topics", "tea"]);
    expect(overviewBlocks(overview, "Tea", WORDS).map((block) => block.text)).toEqual(["They had tea.", "Topics", "tea"]);
    expect(overviewBlocks("## 主题\n- 茶", "茶", WORDS).map((block) => block.text)).toEqual(["Topics", "茶"]);
  });

  it("has known headings and times in the user's language", () => {
    const overview = "## Times\n- 2024-10-23T12:00:00Z\n- today: 2023-05-06\n## Their own heading";
    const texts = (lang: "en" | "zh") => overviewBlocks(overview, "", new Words(lang)).map((block) => block.text);
    expect(texts("zh")).toEqual(["时间", expect.stringMatching(/^2024年10月2[34]日/), "today: 2023年5月6日", "Their own heading"]);
    expect(texts("en").join()).not.toMatch(/T12:00/);
  });

  it("becomes plain blocks", () => {
    expect(plainBlocks("# Title\n\nOne **bold**\nline.\n\n- item\n<b>x</b>")).toEqual([
      { kind: "head", text: "Title" },
      { kind: "text", text: "One bold line." },
      { kind: "item", text: "item" },
      { kind: "text", text: "<b>x</b>" },
    ]);
  });
});

describe("walking", () => {
  const points = new Map([["m", { x: 0, y: 0 }], ["r", { x: 100, y: 10 }], ["far", { x: 40, y: 0 }], ["up", { x: 0, y: -90 }]]);

  it("prefers neighbours to nearer strangers", () => {
    expect(stepTo("m", "ArrowRight", points, ["r", "up"])).toBe("r");
  });

  it("goes on to strangers where no neighbour lies, and stays where nothing lies", () => {
    expect(stepTo("m", "ArrowUp", points, ["r"])).toBe("up");
    expect(stepTo("m", "ArrowLeft", points, ["r"])).toBeNull();
  });
});

describe("links of a thing", () => {
  it("are grouped by predicate and direction, those that hold first", () => {
    const closed = anEdge("c", "u", "x", { invalid_at: "2026-01-01T00:00:00Z", strength: 1 });
    const groups = linksOf("u", byId([closed, anEdge("o", "u", "y"), anEdge("m", "s", "u", { predicate: "MENTIONED" })]).values());
    expect(groups.map((group) => [group.predicate, group.backwards, group.edges.map((edge) => edge.id)])).toEqual([
      ["PREFERS", false, ["o", "c"]],
      ["MENTIONED", true, ["m"]],
    ]);
  });
});

describe("pace", () => {
  it("runs at once, then at most once per interval, and not without need", () => {
    vi.useFakeTimers();
    let runs = 0;
    const pace = new Throttle(() => (runs += 1), 500);
    for (let count = 0; count < 20; count += 1) pace.ask();
    expect(runs).toBe(1);
    vi.advanceTimersByTime(500);
    expect(runs).toBe(2);
    vi.advanceTimersByTime(5_000);
    expect(runs).toBe(2);
    vi.useRealTimers();
  });
});
