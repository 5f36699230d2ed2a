// @vitest-environment happy-dom
import cytoscape from "cytoscape";
import { describe, expect, it, vi } from "vitest";
import { Elements, nodeSize } from "../src/map/elements";
import { LabelPainter } from "../src/map/paintLabels";
import { type MarkScene, paintMarks, wordBoxes } from "../src/map/paintMarks";
import { labelled, type Marks, pointOut, pointsOutSame } from "../src/map/pointOut";
import { atOnce } from "../src/map/slices";
import { paintTypeIcons } from "../src/map/typeIcons";
import { aNode, anEdge } from "./builders";

const NONE: Marks = { selected: null, cursor: null, matches: null, fresh: new Set(), others: new Map(), trail: null, recalled: null, partner: null, arrived: new Set() };

/** A pen that notes the middle of each circle and each text. */
function aPen(): { pen: CanvasRenderingContext2D; circles: string[]; texts: string[] } {
  const [circles, texts] = [[] as string[], [] as string[]];
  const known: Record<string, unknown> = {
    arc: (x: number, y: number) => circles.push(`${Math.round(x)} ${Math.round(y)}`),
    fillText: (text: string) => texts.push(text),
    measureText: () => ({ width: 7 }),
  };
  const pen = new Proxy(known, { get: (all, name: string) => all[name] ?? (() => undefined), set: () => true });
  return { pen: pen as unknown as CanvasRenderingContext2D, circles, texts };
}

function painted(marks: Partial<Marks>): ReturnType<typeof aPen> {
  const cy = cytoscape({ headless: true, styleEnabled: true });
  const places: Record<string, { x: number; y: number }> = { ann: { x: 0, y: 0 }, tea: { x: 100, y: 0 }, rome: { x: 200, y: 0 }, likes: { x: 50, y: 0 }, lives: { x: 100, y: 50 } };
  cy.add([
    { data: { id: "ann", kind: "User" } },
    { data: { id: "tea", kind: "Entity" } },
    { data: { id: "rome", kind: "Entity" } },
    { data: { id: "likes", source: "ann", target: "tea", predicate: "PREFERS" } },
    { data: { id: "lives", source: "ann", target: "rome", predicate: "RELATES_TO" } },
  ]);
  const all = { ...NONE, ...marks };
  pointOut(cy, all, null);
  const { pen, circles, texts } = aPen();
  const scene: MarkScene = { cy, marks: all, pins: new Set(), hovered: null, theme: "light", place: (id) => places[id], words: () => null, colour: () => "#000" };
  paintMarks(pen, scene);
  return { pen, circles, texts };
}

describe("labels", () => {
  it("stand outside of the rings of what was recalled and of the cursor", () => {
    const cy = cytoscape({ headless: true, elements: [{ data: { id: "tea", kind: "Entity", w: 20, h: 20 } }] });
    const scene = { cy, nodes: new Map([["tea", aNode("tea")]]), edges: new Map(), points: new Map([["tea", { x: 0, y: 0 }]]), facts: new Map(), hovered: null };
    const sizes = [{}, { recalled: new Map([["tea", [1]]]) }, { cursor: "tea" }].map((marks) => labelled({ ...scene, marks: { ...NONE, ...marks } })[0]?.size.h);
    expect(sizes).toEqual([20, 36, 36]);
  });
});

describe("the label of a thing", () => {
  it("stands on the side that its lines do not come from", () => {
    const points = new Map([["ann", { x: 0, y: 0 }], ["tea", { x: 50, y: -80 }], ["rome", { x: 50, y: 80 }]]);
    const nodes = new Map([["ann", aNode("ann", { kind: "User" })], ["tea", aNode("tea")], ["rome", aNode("rome")]]);
    const edges = new Map([["1", anEdge("1", "ann", "tea")], ["2", anEdge("2", "ann", "rome")]]);
    const cy = cytoscape({ headless: true, elements: [...nodes.keys()].map((id) => ({ data: { id, w: 20, h: 20 } })) });
    const found = labelled({ cy, nodes, edges, points, facts: new Map(), marks: NONE, hovered: null });
    expect(found.map(({ id, above }) => [id, above])).toEqual([["ann", false], ["tea", true], ["rome", false]]);
  });
});

describe("the label of a badge", () => {
  it("covers other labels unless something else is pointed out", () => {
    const nodes = new Map([["badge", aNode("badge", { kind: "Scenes" as "Entity" })]]);
    const cy = cytoscape({ headless: true, elements: [{ data: { id: "badge", w: 20, h: 20 } }] });
    const forced = (): boolean | undefined => labelled({ cy, nodes, edges: new Map(), points: new Map([["badge", { x: 0, y: 0 }]]), facts: new Map(), marks: NONE, hovered: null })[0]?.forced;
    expect(forced()).toBe(true);
    cy.nodes().addClass("dim");
    expect(forced()).toBe(false);
  });
});

describe("the label of what is folded", () => {
  it("is kept like that of a person, as the number alone where no more has room", () => {
    const nodes = new Map([["tea", aNode("tea")], ["more", aNode("more", { kind: "More" as "Entity", label: "+9 only mentioned" })]]);
    const cy = cytoscape({ headless: true, elements: [...nodes.keys()].map((id) => ({ data: { id, w: 20, h: 20 } })) });
    const points = new Map([["more", { x: 150, y: 50 }], ["tea", { x: 90, y: 50 }]]);
    const all = labelled({ cy, nodes, edges: new Map(), points, facts: new Map([["tea", 9]]), marks: NONE, hovered: null });
    const pen = { measureText: (text: string) => ({ width: text.length * 7 }) } as unknown as CanvasRenderingContext2D;
    const texts = (width: number): string[] => {
      const painter = new LabelPainter();
      const view = { zoom: 1, pan: { x: 0, y: 0 }, width, height: 100 };
      atOnce(painter.choose(pen, view, all, []));
      return painter.boxes(view, (id) => points.get(id)).map(({ text }) => text);
    };
    expect(texts(900)).toEqual(["+9 only mentioned", "tea"]);
    expect(texts(195)).toEqual(["+9", "tea"]);
  });
});

describe("icons", () => {
  it.each([[0.39, 2], [0.37, 0]])("are on all things at a zoom of %d, or on none: %d", (zoom, drawn) => {
    vi.stubGlobal("Path2D", class {});
    let filled = 0;
    const pen = new Proxy({ fill: () => (filled += 1) } as Record<string, unknown>, { get: (all, name: string) => all[name] ?? (() => undefined), set: () => true });
    const sizes: Record<string, number> = { once: nodeSize("Entity", 1).w, often: nodeSize("Entity", 30).w };
    const view = { zoom, pan: { x: 50, y: 50 }, width: 100, height: 100 };
    paintTypeIcons(pen as unknown as CanvasRenderingContext2D, view, new Map([["once", "food"], ["often", "place"]]), (id) => sizes[id] ?? 0, () => ({ x: 0, y: 0 }), "light", () => false);
    expect(filled).toBe(drawn);
    vi.unstubAllGlobals();
  });
});

describe("scarce labels", () => {
  /** Of six nodes on one spot, in the order in which they get the only label left. */
  function ranked(lit: readonly string[] = []): string[] {
    const kinds: Record<string, string> = { scene: "Scene", mentioned: "Entity", once: "Entity", twice: "Entity", badge: "Scenes", person: "User" };
    const nodes = new Map(Object.entries(kinds).map(([id, kind]) => [id, aNode(id, { kind: kind as "Entity" })]));
    const cy = cytoscape({ headless: true, elements: [...nodes.keys()].map((id) => ({ data: { id, w: 20, h: 20 } })) });
    for (const id of lit) cy.getElementById(id).addClass("lit");
    const points = new Map([...nodes.keys()].map((id) => [id, { x: 0, y: 0 }]));
    // A scene with many mentions has none that counts as a fact.
    const facts = new Map([["once", 1], ["twice", 2]]);
    return labelled({ cy, nodes, edges: new Map(), points, facts, marks: NONE, hovered: null }).sort((a, b) => b.rank - a.rank).map((node) => node.id);
  }

  it("go to people and what facts are about, then to what is only mentioned, and to scenes last", () => {
    expect(ranked().slice(0, 2).sort()).toEqual(["badge", "person"]);
    expect(ranked().slice(2)).toEqual(["twice", "once", "mentioned", "scene"]);
  });

  it("go first to what is in focus, by the same order, and a scene in focus has its own", () => {
    expect(ranked(["scene", "once"]).slice(0, 2)).toEqual(["once", "scene"]);
  });
});

describe("marks", () => {
  it("choose classes and labels anew only if they point out something else", () => {
    const others: Partial<Marks>[] = [{ selected: "a" }, { cursor: "a" }, { matches: new Set() }, { trail: new Set() }, { recalled: new Map() }];
    expect(others.map((one) => pointsOutSame(NONE, { ...NONE, ...one }))).toEqual(others.map(() => false));
    expect(pointsOutSame(NONE, { ...NONE, fresh: new Set(["a"]), others: new Map([["a", 1]]) })).toBe(true);
  });
});

describe("what is pointed out", () => {
  const cy = cytoscape({
    headless: true,
    elements: [...["ann", "tea", "rome", "bob", "jazz"].map((id) => ({ data: { id } })), ...[["1", "ann", "tea"], ["2", "ann", "rome"], ["3", "bob", "jazz"]].map(([id, source, target]) => ({ data: { id, source, target } }))],
  });
  const pointedOut = (marks: Partial<Marks>, hovered: string | null = null): Record<string, string> => {
    pointOut(cy, { ...NONE, ...marks }, hovered);
    return Object.fromEntries(cy.elements().map((one) => [one.id(), (one.classes() as string[]).sort().join(" ")]).filter(([, classes]) => classes !== ""));
  };

  it.each<[string, Partial<Marks>, string | null, Record<string, string>]>([
    ["a selection with what is around it", { selected: "tea" }, null, { tea: "lit sel", ann: "lit", 1: "lit", rome: "dim", 2: "dim", bob: "dim", jazz: "dim", 3: "dim" }],
    ["a fact with both ends", { selected: "1" }, null, { 1: "lit sel", ann: "lit", tea: "lit", rome: "dim", 2: "dim", bob: "dim", jazz: "dim", 3: "dim" }],
    ["what the pointer rests on rather than the selection", { selected: "tea" }, "bob", { tea: "dim sel", ann: "dim", 1: "dim", rome: "dim", 2: "dim", bob: "lit", jazz: "lit", 3: "lit" }],
    ["search hits with their links", { matches: new Set(["tea"]) }, null, { ann: "dim", rome: "dim", 2: "dim", bob: "dim", jazz: "dim", 3: "dim" }],
    ["what is around a selection beside the search hits", { matches: new Set(["tea"]), selected: "jazz" }, null, { ann: "dim", rome: "dim", 2: "dim", bob: "lit", jazz: "lit sel", 3: "lit" }],
    ["a path, whose selection changes nothing else", { trail: new Set(["ann", "1", "tea"]), selected: "bob" }, null, { ann: "lit trail", 1: "lit trail", tea: "lit trail", rome: "dim", 2: "dim", bob: "dim sel", jazz: "dim", 3: "dim" }],
    ["what the pointer rests on beside a path", { trail: new Set(["ann", "1", "tea"]) }, "jazz", { ann: "lit trail", 1: "lit trail", tea: "lit trail", rome: "dim", 2: "dim", bob: "lit", jazz: "lit", 3: "lit" }],
    ["nothing", {}, null, {}],
  ])("is %s", (_, marks, hovered, found) => {
    expect(pointedOut(marks, hovered)).toEqual(found);
  });

  it("is the person with all scenes that a badge opened", () => {
    const scenes = cytoscape({
      headless: true,
      elements: [
        ...[["s:ann", "Scenes", "ann"], ["u", "User", "ann"], ["one", "Scene", "ann"], ["two", "Scene", "ann"], ["tea", "Entity", "ann"], ["rome", "Entity", "ann"], ["v", "User", "bob"], ["three", "Scene", "bob"]].map(([id, kind, user]) => ({ data: { id, kind, user } })),
        ...[["1", "one", "tea"], ["2", "u", "rome"]].map(([id, source, target]) => ({ data: { id, source, target } })),
      ],
    });
    pointOut(scenes, NONE, "s:ann");
    expect(scenes.elements(".dim").map((one) => one.id())).toEqual(["rome", "v", "three", "2"]);
  });

  it("is styled anew only where it differs", () => {
    pointedOut({ selected: "tea" });
    const styled: string[] = [];
    cy.on("class", (event) => void styled.push(event.target.id() as string));
    pointedOut({ selected: "rome" });
    expect([...new Set(styled)].sort()).toEqual(["1", "2", "rome", "tea"]);
    styled.length = 0;
    pointedOut({ selected: "rome" });
    expect(styled).toEqual([]);
  });
});

describe("marks of new elements", () => {
  it("are drawn on what is seen, and not on what is dimmed", () => {
    expect(painted({ fresh: new Set(["likes", "lives"]) }).circles).toEqual(["50 0", "100 50"]);
    expect(painted({ fresh: new Set(["likes", "lives"]), trail: new Set(["ann", "likes", "tea"]) }).circles).toEqual(["50 0"]);
    expect(painted({ fresh: new Set(["gone"]) }).circles).toEqual([]);
  });
});

describe("the labels of links", () => {
  it("do not overlap where facts run side by side", () => {
    const cy = cytoscape({ headless: true, elements: [{ data: { id: "ann" } }, { data: { id: "tea" } }, ...["a", "b", "c"].map((id) => ({ data: { id, source: "ann", target: "tea", predicate: "PREFERS" } }))] });
    const scene = { cy, marks: { ...NONE, selected: "ann" }, hovered: null, place: (id: string) => ({ x: 50, y: { a: 10, b: 14, c: 3 }[id] ?? 0 }), words: (id: string) => ({ text: id, struck: false }) };
    const boxes = wordBoxes(aPen().pen, scene).sort((one, other) => one.y - other.y);
    expect(boxes).toHaveLength(3);
    expect(boxes[0]?.y).toBe(3 - 9);
    for (const [index, box] of boxes.slice(1).entries()) expect(box.y).toBeGreaterThanOrEqual((boxes[index]?.y ?? 0) + (boxes[index]?.h ?? 0));
  });
});

describe("what a question recalled", () => {
  it("has one number for each hit: at the thing that a fact is about, not at its line and person too", () => {
    const lit = painted({ recalled: new Map([["likes", [1]], ["ann", [1]], ["tea", [1]], ["lives", [2]], ["rome", [2]]]) });
    expect(lit.texts).toEqual(["1", "2"]);
    // A fact about a thing of an earlier hit keeps its own number.
    expect(painted({ recalled: new Map([["tea", [1]], ["likes", [3]], ["ann", [3]]]) }).texts).toEqual(["1", "3"]);
  });

  it("has each number under which the list opens it", () => {
    expect(painted({ recalled: new Map([["tea", [1, 2]], ["rome", [3, 4, 5, 6]]]) }).texts).toEqual(["1 · 2", "3 · 4 · 5 …"]);
  });

  it("dims what it leaves out, but neither what arrives meanwhile nor what the selection may be merged with", () => {
    const cy = cytoscape({ headless: true, elements: ["ann", "tea", "rome", "late"].map((id) => ({ data: { id } })) });
    pointOut(cy, { ...NONE, recalled: new Map([["tea", [1]]]), arrived: new Set(["late"]), partner: "rome" }, null);
    expect(cy.elements(".dim").map((one) => one.id())).toEqual(["ann"]);
    pointOut(cy, { ...NONE, selected: "tea", partner: "rome" }, null);
    expect(cy.elements(".dim").map((one) => one.id()).sort()).toEqual(["ann", "late"]);
  });
});

describe("colours of nodes", () => {
  it("follow what they mean, also if nothing else has changed", () => {
    const cy = cytoscape({ headless: true, styleEnabled: true });
    const elements = new Elements(cy);
    const shown = { nodes: new Map([["tea", aNode("tea")], ["rome", aNode("rome")]]), edges: new Map() };
    const points = new Map([["tea", { x: 0, y: 0 }], ["rome", { x: 9, y: 9 }]]);
    const tints = (): unknown[] => ["tea", "rome"].map((id) => cy.getElementById(id).data("tint"));
    const [byPerson, byTopic] = [{ tint: () => "#111", size: () => null }, { tint: (id: string) => (id === "tea" ? "#222" : null), size: () => null }];
    expect([elements.commit(shown, points, byPerson), tints()]).toEqual([true, ["#111", "#111"]]);
    expect([elements.commit(shown, points, byPerson), elements.commit(shown, points, byTopic), tints()]).toEqual([false, true, ["#222", undefined]]);
  });
});
