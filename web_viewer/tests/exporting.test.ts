import { describe, expect, it } from "vitest";
import { drawingOf, type Picture } from "../src/exporting/drawing";
import { fileName, sharpness } from "../src/exporting/files";
import { rimPoint } from "../src/exporting/shapes";
import { type ViewSettings, viewData, viewGraphml, viewJson } from "../src/exporting/viewData";
import { escapeXml } from "../src/exporting/xml";
import { PLAIN } from "../src/map/elements";
import { AT, aNode, anEdge } from "./builders";

const EVIL = `<img src=x onerror="alert(1)">&'\u0000\uD800 茶`;
const nodes = new Map([["u", aNode("u", { kind: "User", label: "Ann" })], ["t", aNode("t", { label: EVIL, aliases: ["a<b"] })], ["s", aNode("s", { kind: "Scene", label: "一起喝茶" })]]);
const edges = new Map([["e", anEdge("e", "u", "t")], ["f", anEdge("f", "t", "u", { predicate: "DISLIKES", invalid_at: AT, confidence: 0.3 })], ["m", anEdge("m", "s", "t", { predicate: "MENTIONED" })]]);
const points = new Map([["u", { x: 0, y: 0 }], ["t", { x: 200, y: 40 }], ["s", { x: -120.4, y: 90 }]]);
const picture: Picture = { shown: { nodes, edges }, points, sectors: [{ hub: "u", key: "likes", centre: { x: 0, y: 0 }, from: -1, to: 1, inner: 100, outer: 260 }], grounds: [{ x: 0, y: 0, r: 90, hue: 1, label: EVIL }], finish: PLAIN };
const says = { title: EVIL, caption: EVIL, kind: String, predicate: String, sector: String };
const viewSettings: ViewSettings = { at: AT, address: "http://127.0.0.1/#/map", tenant: "t", user: null, epoch: "e", seq: 3, hidden: [], sure: 0, around: null, validAt: null, asOf: null, total: { nodes: 9, edges: 9 } };

/** Well formed: every tag closes, and no text holds a bare sign. */
function tagsOf(xml: string): string[] {
  const open: string[] = [];
  const seen: string[] = [];
  for (const [whole, closing, name, alone] of xml.replace(/^<\?xml[^>]*\?>/, "").matchAll(/<(\/?)([\w.]+)(?:\s+[\w:.-]+="[^"<&]*(?:&\w+;[^"<&]*)*")*\s*(\/?)>/g)) {
    seen.push(whole);
    if (closing) expect(open.pop()).toBe(name);
    else if (!alone) open.push(name as string);
  }
  expect(open).toEqual([]);
  expect(xml.replace(/^<\?xml[^>]*\?>/, "").replace(/<(\/?)([\w.]+)(?:\s+[\w:.-]+="[^"]*")*\s*(\/?)>/g, "")).not.toMatch(/[<>]|&(?!(amp|lt|gt|quot|apos);)/);
  return seen;
}

describe("the drawing", () => {
  const { svg, width, height } = drawingOf(picture, "dark", says);

  it("is well formed and shows what people wrote as text", () => {
    const tags = tagsOf(svg).join("");
    expect(tags).not.toMatch(/<(img|script|foreignObject|a|image|style)\b/);
    expect(svg).toContain("&lt;img src=x onerror=");
    expect(svg).toContain("一起喝茶");
  });

  it("holds every thing and link and a key of what they mean", () => {
    expect(svg.match(/<text/g)?.length).toBeGreaterThanOrEqual(3 + 2 + 3 + 3);
    expect(svg.match(/ Q/g)?.length).toBe(3);
    expect([width > 300, height > 200]).toEqual([true, true]);
  });

  it("has labels on the side that their links do not come from, as the page does", () => {
    const y = (label: string): number => Number(new RegExp(`y="([-\\d.]+)"[^>]*>${label}<`).exec(svg)?.[1]);
    // The scene is below the thing that it mentions, which is below Ann.
    expect(y("一起喝茶")).toBeGreaterThan(90);
    const above = drawingOf({ ...picture, points: new Map([["u", { x: 0, y: 0 }], ["t", { x: 200, y: 40 }], ["s", { x: -120, y: -90 }]]) }, "dark", says).svg;
    expect(Number(/y="([-\d.]+)"[^>]*>一起喝茶</.exec(above)?.[1])).toBeLessThan(-90);
  });

  it("leaves out what has no place and draws an empty view", () => {
    expect(drawingOf({ ...picture, points: new Map() }, "light", says).svg).not.toMatch(/ Q/);
    expect(tagsOf(drawingOf({ shown: { nodes: new Map(), edges: new Map() }, points, sectors: [], grounds: [], finish: PLAIN }, "light", says).svg)).not.toEqual([]);
  });
});

describe("the data of a view", () => {
  it("keeps both ends of every link when there is too much", () => {
    const few = viewData(picture.shown, points, 3);
    expect(few.leftOut).toEqual({ nodes: 0, edges: 3 });
    const two = viewData(picture.shown, points, 2);
    expect(two.edges.every((edge) => two.nodes.some((node) => node.id === edge.source) && two.nodes.some((node) => node.id === edge.target))).toBe(true);
  });

  it("says as JSON from where it was seen", () => {
    const told = JSON.parse(viewJson(viewData(picture.shown, points), viewSettings));
    expect([told.format, told.filters.around, told.nodes[1].label, told.nodes[2].x]).toEqual(["mnemoscene-view", null, EVIL, -120]);
  });

  it("is well formed GraphML without what XML cannot hold", () => {
    const xml = viewGraphml(viewData(picture.shown, points));
    tagsOf(xml);
    expect(xml).toContain('<data key="node.aliases">[&quot;a&lt;b&quot;]</data>');
    expect(xml).not.toMatch(/\u0000/);
  });
});

describe("small parts", () => {
  it("escape whatever XML could take for markup", () => {
    expect(escapeXml(`<&>"'\uD800\u{1F375}`)).toBe("&lt;&amp;&gt;&quot;&apos;\uFFFD\u{1F375}");
  });

  it("end a link at the rim of a thing", () => {
    expect(rimPoint({ at: { x: 0, y: 0 }, w: 20, h: 20 }, { x: 100, y: 0 }, 0)).toEqual({ x: 10, y: 0 });
  });

  it("never ask for more pixels than a browser draws", () => {
    for (const [w, h] of [[100, 100], [9_000, 300], [6_000, 6_000]] as const) {
      const scale = sharpness(w, h);
      expect([w * scale <= 8_192, w * h * scale * scale <= 16_000_001]).toEqual([true, true]);
    }
  });

  it("name files so that every system takes them", () => {
    expect(fileName(["mnemoscene", null, "张/../三", "map"], "svg")).toBe("mnemoscene-张-..-三-map.svg");
  });
});
