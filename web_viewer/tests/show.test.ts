import { describe, expect, it } from "vitest";
import { drawFrame, type Film, FILM, type FilmSource, filmSteps, standing, stepsOf, timeOf } from "../src/exporting/film";
import { cardOf, wrapped } from "../src/exporting/portraitCard";
import { addWords } from "../src/i18n/messages";
import * as portraying from "../src/i18n/portraitWords";
import * as taking from "../src/i18n/exportWords";
import { Words } from "../src/i18n/words";
import { atOnce } from "../src/map/slices";
import { litByFrame, TOLD_MS, withTold } from "../src/now/ambient";
import { itemsOf, type PortraitFact, portraitOf } from "../src/panel/portrait";
import type { GraphEdge, GraphNode, QuestionAsked } from "../src/protocol/frames";

[portraying, taking].forEach(addWords);
const [en, zh] = [new Words("en"), new Words("zh")];

function aFact(id: string, more: Partial<PortraitFact> = {}): PortraitFact {
  return { id, predicate: "RELATES_TO", relation: null, statement: id, strength: 0.5, validAt: "2026-03-01T12:00:00Z", invalidAt: null, subject: { id: "u" }, object: { id: `o ${id}`, name: id, entityType: null }, evidence: [], ...more };
}

const NONE = new Map<string, { category: string | null }>();

describe("a portrait", () => {
  const facts = [
    aFact("Lisbon", { relation: "lives in" }),
    aFact("Utrecht", { relation: "lives in", invalidAt: "2026-04-01T12:00:00Z" }),
    aFact("Mota", { relation: "member of" }),
    aFact("Mira", { relation: "sister", object: { id: "m", name: "Mira", entityType: "person" } }),
    aFact("tea", { predicate: "PREFERS", strength: 0.4 }),
    aFact("trams", { predicate: "PREFERS", strength: 0.9 }),
    aFact("noise", { predicate: "DISLIKES", strength: 0.9 }),
    aFact("nuts", { predicate: "DISLIKES", strength: 0.3, statement: "Noor is allergic to nuts." }),
    aFact("other", { predicate: "PREFERS", subject: { id: "somebody" } }),
  ];

  it("has five lines of what holds, each thing with the number of its fact, and what must be avoided first", () => {
    const lines = portraitOf("u", facts, NONE, en);
    expect(lines.map(({ topic }) => topic)).toEqual(["places", "work", "people", "likes", "avoids"]);
    expect(lines[0]?.phrases).toMatchObject([{ lead: "lives in", items: [{ name: "Lisbon", number: 1 }] }]);
    expect(itemsOf(lines).map(({ name, number }) => [name, number])).toEqual([["Lisbon", 1], ["Mota", 2], ["Mira", 3], ["trams", 4], ["tea", 5], ["nuts", 6], ["noise", 7]]);
  });

  it("fills its five lines with what else is known of a person without a place, work or dislikes", () => {
    const cares = aFact("bees", { predicate: "CARES_ABOUT" });
    const has = aFact("kitten", { relation: "has" });
    const event = aFact("race", { relation: "took part in" });
    const topics = (all: PortraitFact[]) => portraitOf("u", all, NONE, en).map(({ topic }) => topic);
    expect(topics([event, has, cares, ...facts.slice(3, 6)])).toEqual(["people", "likes", "cares", "has", "events"]);
    expect(topics([event, has, cares, ...facts])).toHaveLength(5);
  });

  it("says relations in the language of the page, and how many things a line leaves out", () => {
    const many = Array.from({ length: 7 }, (_, n) => aFact(`t${n}`, { predicate: "PREFERS" }));
    expect(portraitOf("u", facts, NONE, zh)[0]?.phrases[0]?.lead).toBe("住在");
    expect(portraitOf("u", many, NONE, en)).toMatchObject([{ topic: "likes", more: 3 }]);
    expect(portraitOf("nobody", facts, NONE, en)).toEqual([]);
  });

  it.each([["PREFERS", null, null, "likes"], ["RELATES_TO", "任职于", "work", "work"], ["RELATES_TO", "born in", null, "places"], ["RELATES_TO", "has", null, "has"], ["CARES_ABOUT", null, null, "cares"]])("tells %s %s of category %s under %s, as the list does", (predicate, relation, category, topic) => {
    expect(portraitOf("u", [aFact("x", { predicate, relation })], new Map([["x", { category }]]), en)[0]?.topic).toBe(topic);
  });

  it("is drawn as a card whose texts are text, with the sentences below", () => {
    const evidence = [{ text: 'I love <b>trams</b> & "tea".', saidAt: "2026-03-01T12:00:00Z" }];
    const { svg, width, height } = cardOf("<Noor>", portraitOf("u", [aFact("trams", { predicate: "PREFERS", evidence })], NONE, en), "dark", en);
    expect(svg).toContain("&lt;Noor&gt;");
    expect(svg).toContain("trams [1]");
    expect(svg).toContain("I love &lt;b&gt;trams&lt;/b&gt; &amp;");
    expect(svg).not.toContain("<b>");
    expect(width / height).toBeGreaterThan(1);
  });

  it("breaks long lines between words, and between Chinese characters", () => {
    expect(wrapped("one two three four", 9)).toEqual(["one two", "three", "four"]);
    expect(wrapped("我喜欢乌龙茶和钢琴", 8)).toEqual(["我喜欢乌", "龙茶和钢", "琴"]);
    expect(wrapped("x".repeat(500), 10).every((row) => row.length <= 11)).toBe(true);
  });
});

describe("the full screen", () => {
  it("tells what came for a while, at most five at once, each once", () => {
    const came = Array.from({ length: 7 }, (_, n) => ({ key: `k${n}`, kind: "fact" as const, text: `t${n}` }));
    const told = withTold([], came, 0);
    expect(told.map(({ key }) => key)).toEqual(["k2", "k3", "k4", "k5", "k6"]);
    expect(withTold(told, [{ key: "k6", kind: "fact", text: "again" }], 10).map(({ text }) => text)).toEqual(["t2", "t3", "t4", "t5", "again"]);
    expect(withTold(told, [], TOLD_MS)).toEqual([]);
    expect(withTold([], [{ key: "k", kind: "question", text: "x".repeat(5_000) }], 0)[0]?.text.length).toBe(240);
  });

  it("lights what a question found, a message by its scene", () => {
    const hits = [{ kind: "message", id: "m", score: 1, scene: "s", used: true }, { kind: "fact", id: "f", score: 0.5, scene: null, used: true }, { kind: "fact", id: "g", score: 0.4, scene: null, used: false }];
    expect([...litByFrame({ hits } as unknown as QuestionAsked)]).toEqual([["s", [1]], ["f", [2]]]);
  });
});

describe("a film", () => {
  const node = (id: string, kind = "Entity"): [string, GraphNode] => [id, { id, kind, label: id, user_id: "u", first_seen: "2026-01-01T00:00:00Z" } as GraphNode];
  const edge = (id: string, target: string, month: number, more: Partial<GraphEdge> = {}): [string, GraphEdge] => {
    const at = `2026-0${month}-01T00:00:00Z`;
    return [id, { id, source: "u", target, predicate: "PREFERS", relation: null, statement: `likes ${target}`, strength: 0.5, confidence: 0.9, known_at: at, first_seen: at, last_seen: at, valid_at: at, invalid_at: null, ...more } as GraphEdge];
  };
  const graph = { nodes: new Map([node("u", "User"), node("tea"), node("tram"), node("sea")]), edges: new Map([edge("a", "tea", 1), edge("b", "tram", 2, { invalid_at: "2026-03-01T00:00:00Z", closing_known_at: "2026-03-01T00:00:00Z" }), edge("c", "sea", 3)]) };
  const points = new Map([["u", { x: 0, y: 0 }], ["tea", { x: 100, y: 0 }], ["tram", { x: 0, y: 300 }], ["sea", { x: -900, y: 0 }]]);
  const source = { graph, filter: { hidden: new Set<string>() }, points, title: "Growth" };
  const filmOf = (given: FilmSource, words: Words): Film | null => atOnce(filmSteps(given, words));

  it("is computed a moment at a time, so that the page can draw in between", () => {
    expect([...filmSteps(source, en)].length).toBeGreaterThanOrEqual(3);
  });

  it("takes a step for each time at which something became known, with the fact that came, and lets what ended go", () => {
    const film = filmOf(source, en);
    expect(film?.steps.map(({ caption, facts }) => [caption, facts])).toEqual([["likes tea", 1], ["likes tram", 2], ["likes sea", 2]]);
    expect(Object.fromEntries(film?.nodes.map(({ node: { id }, span }) => [id, [span.from, span.to]]) ?? [])).toEqual({ u: [0, Infinity], tea: [0, Infinity], tram: [1, 2], sea: [2, Infinity] });
    expect(film?.nodes.every(({ at }) => at.x >= 0 && at.x <= FILM.width && at.y >= 0 && at.y <= FILM.height)).toBe(true);
  });

  it("lasts about twenty seconds however long the history is", () => {
    const edges = new Map(Array.from({ length: 90 }, (_, n) => edge(`e${n}`, "tea", 1, { known_at: new Date(Date.UTC(2026, 0, 1, n)).toISOString() })));
    const film = filmOf({ ...source, graph: { nodes: graph.nodes, edges } }, en);
    expect(film?.frames).toBe(20 * FILM.fps);
    expect(film?.steps.length).toBe(40);
    expect(stepsOf([5, 1, 1, 3])).toEqual([1, 3, 5]);
  });

  it("draws every frame as a function of its number: the same calls each time, first nothing and in the end all that holds", () => {
    const film = filmOf(source, en);
    if (!film) throw new Error("there is a film");
    const calls = (frame: number): string[] => {
      const made: string[] = [];
      const pen = new Proxy({}, { get: (_, name) => (...given: unknown[]) => void made.push(`${String(name)} ${given.join(" ")}`), set: () => true }) as CanvasRenderingContext2D;
      drawFrame(pen, film, frame, "light", en);
      return made;
    };
    expect(calls(120)).toEqual(calls(120));
    expect(calls(0).filter((one) => one.startsWith("arc"))).toEqual([]);
    expect(calls(film.frames - 1).filter((one) => one.startsWith("fillText")).join()).toContain("sea");
    expect(calls(film.frames - 1).join()).not.toContain("fillText tram");
    expect(timeOf(film, film.frames - 1).steps).toBeGreaterThan(film.steps.length);
    expect(standing(film, { from: 0, to: Infinity }, film.frames - 1).alpha).toBe(1);
  });

  it("does not exist for a memory without history or without places", () => {
    expect(filmOf({ ...source, graph: { nodes: graph.nodes, edges: new Map() } }, en)).toBeNull();
    expect(filmOf({ ...source, points: new Map() }, en)).toBeNull();
  });
});
