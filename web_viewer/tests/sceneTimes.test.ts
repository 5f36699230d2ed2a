import { describe, expect, it } from "vitest";
import { Words } from "../src/i18n/words";
import { cellsOf, cutLabel } from "../src/map/labels";
import { withTimes } from "../src/map/sceneTimes";
import { aNode, byId } from "./builders";

function aScene(id: string, label: string, first_seen: string) {
  return aNode(id, { kind: "Scene", label, first_seen });
}

function labels(scenes: ReturnType<typeof aNode>[], lang: "en" | "zh" = "en"): string[] {
  return [...withTimes({ nodes: byId(scenes), edges: new Map() }, new Words(lang)).nodes.values()].map((node) => node.label);
}

/** As the map shows it, with common spaces. */
function drawn(label: string): string {
  return cutLabel(label).replaceAll("\u00A0", " ");
}

describe("scenes of one name", () => {
  it("have their day behind it: both have room, and only a long name is cut, visibly", () => {
    const scenes = [aScene("a", "Jasmine tea in the garden", "2026-03-01T12:00:00Z"), aScene("b", "Jasmine tea in the garden", "2026-04-09T12:00:00Z"), aScene("c", "Work", "2026-03-01T12:00:00Z")];
    const [first, second, third] = labels(scenes) as [string, string, string];
    expect([first, second].map(drawn)).toEqual(["Jasmine tea in the… · 1 Mar 2026", "Jasmine tea in the… · 9 Apr 2026"]);
    expect([cellsOf(cutLabel(first)) <= 33, third]).toEqual([true, "Work"]);
    expect(drawn(labels(scenes, "zh")[0] as string)).toBe("Jasmine tea in the… · 2026年3月1日");
    const short = [aScene("a", "Tea in the garden", "2026-03-01T12:00:00Z"), aScene("b", "Tea in the garden", "2026-04-09T12:00:00Z")];
    expect(labels(short).map(drawn)).toEqual(["Tea in the garden · 1 Mar 2026", "Tea in the garden · 9 Apr 2026"]);
  });

  it("have the time of day if they are of one day", () => {
    const [first, second, third] = labels([aScene("a", "Tea", "2026-03-01T12:00:00"), aScene("b", "Tea", "2026-03-01T15:30:00"), aScene("c", "Tea", "2026-03-02T12:00:00")]);
    expect([first, second, third].map((one) => drawn(one as string))).toEqual(["Tea · 12:00", "Tea · 15:30", "Tea · 2 Mar 2026"]);
  });

  it("change nothing else: things of one name are found apart by their place", () => {
    const shown = { nodes: byId([aNode("a", { label: "Tea" }), aNode("b", { label: "Tea" })]), edges: new Map() };
    expect(withTimes(shown, new Words("en"))).toBe(shown);
  });
});
