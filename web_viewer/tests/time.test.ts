// @vitest-environment happy-dom
import { describe, expect, it } from "vitest";
import { byDay, byConversation, feedLines } from "../src/feed/lines";
import { noteVisit } from "../src/feed/visits";
import { Words } from "../src/i18n/words";
import type { ChangeLine } from "../src/protocol/generated";
import { captionSide, stopOf, timelineOf } from "../src/time/lanes";
import { busyParts, histogram, momentsOf, scaleOf, spanOf, ticks } from "../src/time/span";
import { aNode, anEdge, AT, byId } from "./builders";

const WORDS = new Words("en");

function aChange(seq: number, more: Partial<ChangeLine>): ChangeLine {
  return { seq, at: AT, op: "edge+", element_id: more.edge?.id ?? more.node?.id ?? "x", reason: "", node: null, edge: null, scene: null, ...more };
}

describe("what changed", () => {
  const labels = { u: "Ann", tea: "tea" };
  const sortOf = (edge: object) => feedLines({ changes: [aChange(1, { edge: anEdge("1", "u", "tea", edge) })], labels }, WORDS)[0];

  it.each([
    [{}, "learned"],
    [{ evidence_n: 3 }, "again"],
    [{ strength: 0.7, previous: { strength: 0.4 } }, "stronger"],
    [{ strength: 0.2, previous: { strength: 0.4 } }, "weaker"],
    [{ valid_at: "2026-01-01T00:00:00Z", invalid_at: AT }, "over"],
    [{ valid_at: AT, invalid_at: AT }, "never"],
  ])("%o is told as %s", (edge, sort) => {
    expect(sortOf(edge)).toMatchObject({ sort, text: "Ann likes tea" });
  });

  it("says the newest of each once, and leaves out mentions and removals", () => {
    const changes = [
      aChange(9, { edge: anEdge("1", "u", "tea", { valid_at: "2026-01-01T00:00:00Z", invalid_at: AT }) }),
      aChange(8, { edge: anEdge("1", "u", "tea") }),
      aChange(7, { edge: anEdge("2", "u", "tea", { predicate: "MENTIONED" }) }),
      aChange(6, { op: "edge-", element_id: "3" }),
      aChange(5, { op: "node+", node: aNode("s", { kind: "Scene", label: "Breakfast" }), at: "2026-11-19T08:00:00Z" }),
    ];
    const lines = feedLines({ changes, labels }, WORDS);
    expect(lines.map((line) => [line.seq, line.sort])).toEqual([[9, "over"], [5, "scene"]]);
    expect(byDay(byConversation(lines, WORDS), WORDS).map((day) => day.conversations.length)).toEqual([1, 1]);
  });

  it("counts from the end of the visit before, and coming back at once is the same visit", () => {
    const noon = Date.parse("2026-11-20T12:00:00Z");
    expect(noteVisit(localStorage, "t", noon)).toBeNull();
    expect(noteVisit(localStorage, "t", noon + 60_000)).toBeNull();
    const before = new Date(noon + 60_000).toISOString();
    expect(noteVisit(localStorage, "t", noon + 86_400_000)).toBe(before);
    expect(noteVisit(localStorage, "t", noon + 86_460_000)).toBe(before);
  });
});

describe("the time a memory covers", () => {
  const edges = byId([
    anEdge("1", "u", "a", { valid_at: "2026-01-01T00:00:00Z", invalid_at: "2026-03-01T00:00:00Z", known_at: "2026-05-01T00:00:00Z" }),
    anEdge("2", "s", "a", { predicate: "MENTIONED", known_at: "2026-05-02T00:00:00Z" }),
  ]);
  const part = { nodes: byId([aNode("s", { kind: "Scene", first_seen: "2026-02-01T00:00:00Z" })]), edges };

  it("is that of truth or of knowledge", () => {
    const days = (axis: "true" | "known") => momentsOf(part, axis).map((ms) => new Date(ms).toISOString().slice(0, 10)).sort();
    expect(days("true")).toEqual(["2026-01-01", "2026-02-01", "2026-03-01"]);
    expect(days("known")).toEqual(["2026-05-01", "2026-05-02"]);
  });

  it("has a beginning before the first moment, and counts every moment once", () => {
    const span = spanOf([1_000, 2_000, 9_000])!;
    expect(span.fromMs).toBeLessThan(1_000);
    expect(histogram([1_000, 2_000, 9_000], scaleOf([1_000, 2_000, 9_000], span), 7).reduce((a, b) => a + b)).toBe(3);
    expect(spanOf([])).toBeNull();
    expect(ticks({ fromMs: 0, toMs: 86_400_000 * 400 }, 8).length).toBeLessThanOrEqual(8);
  });

  it.each([
    [new Date(2014, 4, 7), new Date(2024, 2, 1), 8],
    [new Date(2021, 11, 20), new Date(2024, 10, 3), 8],
    [new Date(2024, 1, 3), new Date(2024, 9, 9), 9],
    [new Date(2024, 1, 3), new Date(2024, 1, 20), 30],
    [new Date(1024, 1, 3), new Date(2024, 1, 20), 5],
  ])("has ticks on the first of years, months or days from %s to %s", (from, to, most) => {
    const found = ticks({ fromMs: from.getTime(), toMs: to.getTime() }, most);
    expect(found.length).toBeGreaterThan(1);
    expect(found.length).toBeLessThanOrEqual(most);
    for (const { atMs, unit } of found) {
      const at = new Date(atMs);
      expect([at.getHours(), unit === "day" || at.getDate() === 1, unit !== "year" || at.getMonth() === 0]).toEqual([0, true, true]);
    }
  });

  it.each([[10, 6], [2, 5], [40, 5], [120, 5]])("has ticks on local minutes for a conversation of %i minutes", (minutes, most) => {
    const from = new Date(2024, 1, 3, 23, 51, 20).getTime();
    const span = spanOf([from, from + minutes * 60_000])!;
    const found = ticks(span, most);
    expect(found.length).toBeGreaterThan(0);
    expect(found.length).toBeLessThanOrEqual(most);
    for (const { atMs, unit } of found) expect([unit, atMs % 60_000]).toEqual(["hour", 0]);
    expect(ticks(spanOf([from])!, most)).not.toEqual([]);
  });

  it("has several ticks for a span of about a week, on the same days wherever it begins", () => {
    const daysOf = (from: number, to: number): number[] => ticks({ fromMs: new Date(2023, 3, from, 20).getTime(), toMs: new Date(2023, 3, to, 20).getTime() }, 7).map(({ atMs }) => new Date(atMs).getTime());
    const found = daysOf(27, 36);
    expect(found.length).toBeGreaterThan(3);
    expect(daysOf(28, 37)).toEqual(expect.arrayContaining(found.slice(1)));
  });

  it.each([[new Date(2024, 1, 3), 1], [new Date(1965, 6, 5), 1]])("has weekly ticks on Mondays, also before 1970", (from, monday) => {
    const found = ticks({ fromMs: from.getTime(), toMs: from.getTime() + 30 * 86_400_000 }, 8);
    expect(found.map(({ atMs }) => new Date(atMs).getDay())).toEqual(found.map(() => monday));
    expect((found[0]?.atMs ?? Infinity) - from.getTime()).toBeLessThan(7 * 86_400_000);
  });

  it("is played from one change to the next, without the empty years between", () => {
    expect(busyParts([1, 0, 0, 0, 2])).toEqual([0.2, 1]);
    expect(busyParts([0, 0])).toEqual([]);
  });
});

describe("the timeline", () => {
  it("has a lane for each thing that facts are about, overlapping facts below each other", () => {
    const nodes = byId([aNode("u", { kind: "User" }), aNode("job"), aNode("tea"), aNode("s1", { kind: "Scene" }), aNode("s2", { kind: "Scene" })]);
    const edges = byId([
      anEdge("old", "u", "job", { valid_at: "2026-01-01T00:00:00Z", invalid_at: "2026-02-01T00:00:00Z" }),
      anEdge("new", "u", "job", { valid_at: "2026-02-01T00:00:00Z" }),
      anEdge("also", "u", "job", { valid_at: "2026-03-01T00:00:00Z", predicate: "DISLIKES" }),
      anEdge("first", "u", "tea", { valid_at: "2025-12-01T00:00:00Z" }),
      anEdge("m", "s1", "tea", { predicate: "MENTIONED" }),
      anEdge("c", "s2", "s1", { predicate: "CAUSED_BY" }),
    ]);
    const line = timelineOf({ nodes, edges });
    expect(line.lanes.map((lane) => [lane.node.id, lane.rows, lane.bars.map((bar) => [bar.edge.id, bar.row])])).toEqual([
      ["tea", 1, [["first", 0]]],
      ["job", 2, [["old", 0], ["new", 0], ["also", 1]]],
    ]);
    expect(line.lanes[0]?.mentions.length).toBe(1);
    expect([line.causes.length, line.scenes.length, line.left]).toEqual([1, 2, 0]);
    expect(["s1", "new", "job", "u"].map((id) => stopOf(line, id))).toEqual(["s1", "new", "old", null]);
  });
});

describe("the text of a bar", () => {
  it.each([
    ["in the bar, if it has room", { inside: 200, before: 200, after: 200 }, "inside"],
    ["before a bar that is too short", { inside: 40, before: 200, after: 200 }, "before"],
    ["after a moment at the beginning of the timeline", { inside: 6, before: 20, after: 900 }, "after"],
    ["where it is cut least", { inside: 80, before: 20, after: 0 }, "inside"],
  ] as const)("stands %s", (_, room, side) => {
    expect(captionSide(100, room)).toBe(side);
  });
});

describe("empty years", () => {
  const moments = ["2014-05-01", "2014-08-01", "2014-11-01", "2023-02-01", "2023-07-01", "2024-01-01"].map((day) => Date.parse(day));
  const span = spanOf(moments)!;
  const scale = scaleOf(moments, span);

  it("are a narrow break on the axis, so that the others have its room", () => {
    expect(scale.gaps.map((gap) => Math.round((gap.toMs - gap.fromMs) / (365 * 86_400_000)))).toEqual([8]);
    expect(scale.gaps[0]!.to - scale.gaps[0]!.from).toBeCloseTo(0.04);
    expect(scale.share(moments[2]!)).toBeGreaterThan(0.2);
  });

  it("leave the order of all times, which the slider finds again", () => {
    const shares = moments.map((ms) => scale.share(ms));
    expect(shares).toEqual([...shares].sort((a, b) => a - b));
    expect([scale.share(span.fromMs), scale.share(span.toMs)]).toEqual([0, 1]);
    for (const share of [0, 0.1, 0.33, 0.5, 0.9, 1]) expect(scale.share(scale.at(share))).toBeCloseTo(share);
  });

  it("are shown in full where they take little room, and there is none in a memory of one day", () => {
    const even = Array.from({ length: 12 }, (_, year) => Date.parse(`${2010 + year}-06-01`));
    expect(scaleOf(even, spanOf(even)!).gaps).toEqual([]);
    expect(scaleOf([5], spanOf([5])!).share(5)).toBeCloseTo(0.5);
  });
});
