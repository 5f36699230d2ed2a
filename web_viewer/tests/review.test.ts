import { describe, expect, it, vi } from "vitest";
import { Undo } from "../src/view/undo";
import type { Operation } from "../src/correct/operations";
import { type Answer, type Card, onMap, type ReviewFact, stepsOf } from "../src/review/answers";
import { Review, type ReviewWorld } from "../src/review/review";

const NOW = "2026-11-25T12:00:00Z";

function aFact(id: string, more: Partial<ReviewFact> = {}): ReviewFact {
  return { id, statement: `Fact ${id}.`, predicate: "PREFERS", relation: null, subjectId: "u", subject: "Ana", objectId: `thing ${id}`, object: "tea", strength: 0.7, confidence: 0.75, importance: 6, validAt: "2026-01-01T00:00:00Z", lastSeen: "2026-01-01T00:00:00Z", messages: 1, ...more };
}

function aCard(kind: Card["kind"], more: Partial<Card> = {}): Card {
  return { id: `${kind} 1`, kind, facts: [aFact("f")], entities: [], userId: "ana", ...more };
}

const SAME = aCard("SAME", { facts: [], entities: [{ id: "a", name: "Anna", aliases: [], entityType: null }, { id: "b", name: "Ana B", aliases: [], entityType: null }] });
const PAIR = aCard("CONTRADICTION", { facts: [aFact("old"), aFact("new", { validAt: "2026-05-01T00:00:00Z" })] });

function names(card: Card, answer: Answer): string[] | null {
  const steps = stepsOf(card, answer, NOW, "why");
  return steps && steps.map(({ operation }) => `${/done: (\w+)/.exec(operation.query)?.[1]} ${JSON.stringify(operation.variables)}`);
}

describe("the three answers", () => {
  it("confirm, end or reject a single fact; correcting needs a form", () => {
    expect(names(aCard("STILL_TRUE"), "confirm")).toEqual(['confirmFact {"id":"f"}']);
    expect(names(aCard("STILL_TRUE"), "reject")).toEqual([`updateFact {"id":"f","invalidAt":"${NOW}"}`]);
    expect(names(aCard("ONE_SENTENCE"), "reject")).toEqual(['rejectFact {"id":"f"}']);
    expect(names(aCard("ONE_SENTENCE"), "correct")).toBeNull();
  });

  it("end the older of two facts when the newer is true, and reject the newer when the older is", () => {
    expect(names(PAIR, "confirm")).toEqual(['updateFact {"id":"old","invalidAt":"2026-05-01T00:00:00Z"}', 'confirmFact {"id":"new"}']);
    expect(names(PAIR, "reject")).toEqual(['rejectFact {"id":"new"}', 'confirmFact {"id":"old"}']);
    expect(names(PAIR, "correct")).toEqual(['confirmFact {"id":"old"}', 'confirmFact {"id":"new"}']);
  });

  it("reject a fact that would end before it began", () => {
    const together = aCard("CONTRADICTION", { facts: [aFact("old"), aFact("new")] });
    expect(names(together, "confirm")?.[0]).toBe('rejectFact {"id":"old"}');
  });

  it("merge two entities under either name, or keep them apart", () => {
    expect(names(SAME, "confirm")).toEqual(['mergeEntities {"keep":"a","merge":"b","reason":"why"}']);
    expect(names(SAME, "correct")).toEqual(['mergeEntities {"keep":"b","merge":"a","reason":"why"}']);
    expect(names(SAME, "reject")).toEqual(['rejectMerge {"first":"a","second":"b"}']);
  });

  it("have inverses", () => {
    const inverse = (card: Card, answer: Answer, result: unknown): string | undefined => /done: (\w+)/.exec(stepsOf(card, answer, NOW, "why")?.[0]?.inverse(result).query ?? "")?.[1];
    expect(inverse(aCard("STILL_TRUE"), "confirm", { id: "c" })).toBe("undoCorrection");
    expect(inverse(SAME, "confirm", { mergeId: "m" })).toBe("splitEntity");
    expect(inverse(SAME, "reject", "r")).toBe("allowMerge");
  });

  it("show their elements on the map", () => {
    expect([...onMap(PAIR)]).toEqual([["old", 1], ["thing old", 1], ["u", 1], ["new", 2], ["thing new", 2]]);
  });
});

/** A service that gives each user a stack, notes operations, and refuses those that `refuses` names. */
function aReview(cards: Card[], refuses: (name: string) => boolean = () => false): { review: Review; asked: string[]; undo: Undo } {
  const asked: string[] = [];
  const undo = new Undo(() => undefined);
  const world: ReviewWorld = {
    ask: async <T>(operation: Operation): Promise<T> => {
      if (operation.query.includes("reviewCards")) return { reviewCards: { cards, settledToday: 2, left: 20 } } as T;
      const name = /done: (\w+)/.exec(operation.query)?.[1] ?? "";
      if (refuses(name)) throw new Error(`${name} was refused`);
      asked.push(`${name} ${operation.variables.id ?? ""}`.trim());
      return { done: { id: `of ${operation.variables.id}`, mergeId: "m" } } as T;
    },
    nowIso: () => NOW,
    undo,
    mergeReason: () => "why",
  };
  return { review: new Review(world), asked, undo };
}

describe("a stack", () => {
  it("is undone by the page's undo, too, each answer once", async () => {
    const { review, asked, undo } = aReview([aCard("STILL_TRUE"), aCard("ONE_SENTENCE", { id: "2", facts: [aFact("g")] })]);
    await review.load(["ann"]);
    await review.answer("confirm");
    await review.answer("reject");
    await review.undo();
    undo.undo();
    await vi.waitFor(() => expect(review.settled.value).toEqual([]));
    undo.undo();
    expect(asked.slice(2)).toEqual(["undoCorrection of g", "undoCorrection of f"]);
  });

  it("counts progress, skips without asking, and undoes the last answer", async () => {
    const { review, asked } = aReview([aCard("STILL_TRUE"), aCard("ONE_SENTENCE", { id: "2", facts: [aFact("g")] })]);
    await review.load(["ana"]);
    expect(review.before.value).toBe(2);
    expect(await review.answer("confirm")).toBe(true);
    review.skip();
    expect([review.card, review.answered, review.settled.value.length]).toEqual([null, 1, 2]);
    await review.undo();
    await review.undo();
    expect(asked).toEqual(["confirmFact f", "undoCorrection of f"]);
    expect(review.cards.value.map((card) => card.id)).toEqual(["STILL_TRUE 1", "2"]);
  });

  it("takes back the first half of an answer whose second half is refused", async () => {
    const { review, asked } = aReview([PAIR], (name) => name === "confirmFact");
    await review.load(["ana"]);
    expect(await review.answer("confirm")).toBe(false);
    expect(asked).toEqual(["updateFact old", "undoCorrection of old"]);
    expect([review.card?.id, review.failure.value]).toEqual([PAIR.id, "confirmFact was refused"]);
  });

  it("divides the cards among the users and names whose they are", async () => {
    const { review } = aReview([aCard("STILL_TRUE")]);
    await review.load(["ana", "bo"]);
    expect(review.cards.value.map((card) => card.userId)).toEqual(["ana", "bo"]);
  });
});
