import { describe, expect, it } from "vitest";
import type { GraphEdge, GraphNode } from "../src/protocol/frames";
import { type AnswerHit, citedSentences, factOf, litSteps, sessionIn, sourcesOf, wayOf } from "../src/now/ask";

function aHit(kind: AnswerHit["kind"], id: string, more: Partial<AnswerHit> = {}): AnswerHit {
  return { kind, id, uri: id, text: id, saidAt: "2026-03-01T12:00:00Z", speaker: null, role: null, sceneId: null, evidence: [], ...more };
}

const HITS = [aHit("FACT", "f", { evidence: [{ id: "m" }] }), aHit("MESSAGE", "m", { sceneId: "s" }), aHit("MESSAGE", "n")];
const GRAPH = {
  nodes: new Map(["u", "tea", "s"].map((id) => [id, { id, kind: id === "u" ? "User" : "Entity", user_id: "ana" } as GraphNode])),
  edges: new Map([["f", { id: "f", source: "u", target: "tea" } as GraphEdge]]),
};

describe("an answer", () => {
  it("numbers its sources in the order in which they are cited", () => {
    const sentences = citedSentences({ hits: HITS, sentences: [{ text: "One.", sources: [1] }, { text: "Two.", sources: [0, 1] }] });
    expect(sentences.map(({ citations }) => citations.map((one) => [one.number, one.hit.id]))).toEqual([[[1, "m"]], [[2, "f"], [1, "m"]]]);
    expect(sourcesOf(sentences).map((one) => [one.number, one.hit.id])).toEqual([[1, "m"], [2, "f"]]);
  });

  it("drops sentences that cite nothing, or what was not found", () => {
    const sentences = [{ text: "Uncited.", sources: [] }, { text: "Made up.", sources: [7] }, { text: "Cited.", sources: [2, 9] }];
    expect(citedSentences({ hits: HITS, sentences }).map(({ text, citations }) => [text, citations.length])).toEqual([["Cited.", 1]]);
  });
});

describe("the way to a citation", () => {
  it("leads from the person over the fact to the scene of the sentence", () => {
    const fact = factOf(HITS[1] as AnswerHit, HITS);
    expect(fact).toBe("f");
    const way = wayOf({ fact, scene: "s", user: "ana" }, GRAPH);
    expect(way).toEqual([["u"], ["f", "tea"], ["s"]]);
    expect([...litSteps(way, 2)]).toEqual([["u", [1]], ["f", [2]], ["tea", [2]]]);
    expect(litSteps(way, 3).get("s")).toEqual([3]);
  });

  it("reads the conversation of a message in its URI", () => {
    expect(sessionIn("memory://t/session/ana/a%20b/timeline/m1")).toBe("a b");
    expect(sessionIn("memory://t/session/ana/a%20b/scene/m1")).toBeNull();
  });

  it("leads from the person to the scene of a message without a fact, over what the page has", () => {
    expect(factOf(HITS[2] as AnswerHit, HITS)).toBeNull();
    expect(wayOf({ fact: null, scene: "s", user: "ana" }, GRAPH)).toEqual([["u"], ["s"]]);
    expect(wayOf({ fact: "elsewhere", scene: "gone", user: "bob" }, GRAPH)).toEqual([]);
  });
});
