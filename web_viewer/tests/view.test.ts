import { describe, expect, it, vi } from "vitest";
import { linksOf } from "../src/graph/facts";
import { applyFrame, EMPTY_STATE } from "../src/graph/reduce";
import { Words } from "../src/i18n/words";
import { listRows } from "../src/list/tree";
import { Pace } from "../src/map/pace";
import { stepTo } from "../src/map/walk";
import { overviewBlocks, plainBlocks, quoteParts } from "../src/panel/evidence";
import { type Address, readAddress, tenantOf, writeAddress } from "../src/view/address";
import { countBy, shownPart } from "../src/view/filters";
import { searchNodes } from "../src/view/search";
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
});

describe("filters", () => {
  it("hide a thing that only hidden links lead to, but never the user", () => {
    const state = stateOf({ nodes: [aNode("u", { kind: "User" }), aNode("a"), aNode("b")], edges: [anEdge("1", "u", "a"), anEdge("2", "u", "b", { predicate: "DISLIKES" })] });
    expect([...shownPart(state, { hidden: new Set(["PREFERS"]) }).nodes.keys()]).toEqual(["u", "b"]);
    expect([...shownPart(state, { hidden: new Set(["PREFERS", "DISLIKES"]) }).nodes.keys()]).toEqual(["u"]);
    expect([...shownPart(state, { hidden: new Set(["Entity"]) }).edges.keys()]).toEqual([]);
  });

  it("hide past facts on request and count them", () => {
    const state = stateOf({ nodes: [aNode("u"), aNode("a")], edges: [anEdge("old", "u", "a", { invalid_at: "2026-01-01T00:00:00Z" }), anEdge("new", "u", "a")] });
    expect([...shownPart(state, { hidden: new Set(["past"]) }).edges.keys()]).toEqual(["new"]);
    expect(countBy(state).get("past")).toBe(1);
  });
});

describe("search", () => {
  const nodes = [aNode("1", { label: "乌龙茶" }), aNode("2", { label: "jasmine tea", aliases: ["茉莉花茶"] }), aNode("3", { label: "steam" }), aNode("4", { label: "Tea" })];

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

describe("the address", () => {
  it("reads what it wrote", () => {
    const address: Address = { tab: "list", user: "小林", sel: "e/4?&", hide: ["MENTIONED", "Scene"], veil: ["e1", "e2"], sure: 0.35, ego: "tea", path: ["a&b", "茶"], validAt: "2026-03-01T00:00:00Z", asOf: null };
    expect(readAddress(writeAddress(address))).toEqual(address);
  });

  it("reads a bare link to a user and a tenant", () => {
    expect(readAddress("#/?user=alice")).toMatchObject({ tab: null, user: "alice", sel: null, hide: [], sure: 0, ego: null, path: null, validAt: null });
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
    expect(overviewBlocks(overview, "They had tea.").map((block) => block.text)).toEqual(["Topics", "tea"]);
    expect(overviewBlocks(overview, "Tea").map((block) => block.text)).toEqual(["They had tea.", "Topics", "tea"]);
    expect(overviewBlocks("## 主题\n- 茶", "茶").map((block) => block.text)).toEqual(["主题", "茶"]);
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
    const pace = new Pace(() => (runs += 1), 500);
    for (let count = 0; count < 20; count += 1) pace.ask();
    expect(runs).toBe(1);
    vi.advanceTimersByTime(500);
    expect(runs).toBe(2);
    vi.advanceTimersByTime(5_000);
    expect(runs).toBe(2);
    vi.useRealTimers();
  });
});
