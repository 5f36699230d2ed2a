import { describe, expect, it } from "vitest";
import type { GraphEdge, GraphNode } from "../src/protocol/frames";
import { readFrame } from "../src/protocol/frames";
import { afterFetch, KEPT_MAX, litBy, type Message, type Question, type QuestionHit, questionOf, share, stream, withQuestions } from "../src/now/stream";

const FRAME = { t: "question" as const, id: "q1", user_id: "ana", kind: "recall" as const, door: "mcp", text: "Which tea?", at: "2026-11-25T12:00:00Z", hits: [], found_n: 3, confidence: 0.8, nothing_relevant: false };

function aHit(rank: number, onMap: string[], more: Partial<QuestionHit> = {}): QuestionHit {
  return { rank, kind: "FACT", id: `h${rank}`, score: 1 / rank, used: true, text: "", at: null, role: null, speaker: null, onMap, ...more };
}

function aQuestion(id: string, at: string, hits: QuestionHit[] | null = null): Question {
  return { ...questionOf(FRAME), id, at, hits };
}

function aMessage(id: string, saidAt: string): Message {
  return { id, userId: "ana", sessionId: "s", role: "USER", speaker: null, text: id, truncated: false, saidAt, sceneId: null, read: true, made: [], closed: [] };
}

const GRAPH = {
  nodes: new Map(["u", "tea", "scene"].map((id) => [id, {} as GraphNode])),
  edges: new Map([["f", {} as GraphEdge]]),
};

describe("what a question lights up", () => {
  it("is each element of the page with the rank of its first hit", () => {
    const lit = litBy([aHit(1, ["f", "u", "tea"]), aHit(2, ["scene"]), aHit(3, ["g", "u", "elsewhere"])], GRAPH);
    expect([...lit]).toEqual([["f", [1]], ["u", [1]], ["tea", [1]], ["scene", [2]]]);
  });

  it("leaves out hits that the answer did not use", () => {
    expect(litBy([aHit(1, ["f"], { used: false }), aHit(2, ["tea"])], GRAPH)).toEqual(new Map([["tea", [2]]]));
  });

  it("has every rank under which the list opens it", () => {
    const lit = litBy([aHit(1, ["scene"]), aHit(2, ["f", "u", "tea"]), aHit(4, ["scene"])], GRAPH);
    expect([lit.get("scene"), lit.get("tea")]).toEqual([[1, 4], [2]]);
  });

  it("shows scores relative to the best, and no surer than the answer is", () => {
    const hits = [aHit(1, [], { score: -0.3 }), aHit(2, [], { score: -1.3 })];
    const shares = (confidence: number | null) => hits.map((hit) => share(hit.score, { hits, confidence }).toFixed(2));
    expect([shares(null), shares(0.5), shares(0)]).toEqual([["1.00", "0.37"], ["0.50", "0.18"], ["0.00", "0.00"]]);
  });
});

describe("the ring of questions", () => {
  it("keeps the latest hundred, newest first, each once", () => {
    let known: Question[] = [];
    for (let n = 0; n < 130; n += 1) known = withQuestions(known, [aQuestion(`q${n}`, new Date(n * 1_000).toISOString())]);
    known = withQuestions(known, [aQuestion("q129", new Date(129_000).toISOString())]);
    expect(known).toHaveLength(KEPT_MAX);
    expect([known[0]?.id, known.at(-1)?.id]).toEqual(["q129", "q30"]);
  });

  it("keeps texts that were fetched before", () => {
    const hits = [aHit(1, ["f"])];
    const known = withQuestions([aQuestion("q1", FRAME.at, hits)], [questionOf(FRAME)]);
    expect(known.map((one) => one.hits)).toEqual([hits]);
  });

  it("keeps what frames added and removed while the questions were fetched", () => {
    const known = [aQuestion("asked meanwhile", "2026-11-25T12:03:00Z"), aQuestion("old", "2026-11-25T12:00:00Z")];
    const fetched = [aQuestion("removed meanwhile", "2026-11-25T12:01:00Z"), aQuestion("still there", "2026-11-25T12:00:30Z")];
    const after = afterFetch(known, new Set(["old"]), fetched, new Set(["removed meanwhile"]));
    expect(after.map((one) => one.id)).toEqual(["asked meanwhile", "still there"]);
  });

  it("reads a question's frame, and ignores frames that only a newer service sends", () => {
    expect(readFrame(JSON.stringify(FRAME))).toMatchObject({ t: "question", id: "q1" });
    expect(readFrame('{"t":"dream"}')).toBeNull();
  });
});

describe("the stream", () => {
  const questions = [aQuestion("late", "2026-11-25T12:02:00Z"), aQuestion("early", "2026-11-25T12:00:30Z")];
  const messages = [aMessage("one", "2026-11-25T12:00:00Z"), aMessage("two", "2026-11-25T12:01:00Z"), aMessage("three", "2026-11-25T12:01:00Z")];

  it("merges questions and messages, newest first, and keeps the order of messages", () => {
    expect(stream(questions, messages, "all").map((item) => item.key)).toEqual(["q late", "m three", "m two", "q early", "m one"]);
  });

  it("shows one part", () => {
    expect(stream(questions, messages, "questions").map((item) => item.key)).toEqual(["q late", "q early"]);
    expect(stream(questions, messages, "messages").map((item) => item.key)).toEqual(["m three", "m two", "m one"]);
  });
});
