import { describe, expect, it, vi } from "vitest";
import { bareText, Corrections, type CorrectWorld, type Done, GRACE_MS } from "../src/correct/corrections";
import { StoredSplits } from "../src/correct/storedSplits";
import { editOf, type FactAsItIs, forget, mergePreview, newFact, type Operation, statementWith, inverseOperation } from "../src/correct/operations";
import { Words } from "../src/i18n/words";
import { type CanUndo, Undo } from "../src/view/undo";
import { aNode, anEdge } from "./builders";

const CORRECTION = { id: "c1", kind: "REJECT", text: "It is not so: Ann likes tea", at: "2026-11-21T10:00:00Z", factId: "f1", pending: false };

const WAS = { text: "Ann likes tea", endedAt: "2026-11-01T00:00:00Z" };

class Service implements CorrectWorld {
  asked: Operation[] = [];
  timers = new Map<number, () => void>();
  answer: unknown = { done: CORRECTION };
  ask<T>(operation: Operation): Promise<T> {
    this.asked.push(operation);
    return this.answer instanceof Error ? Promise.reject(this.answer) : Promise.resolve(this.answer as T);
  }
  now = (): number => 1_000;
  later(then: () => void, ms: number): unknown {
    this.timers.set(ms, then);
    return ms;
  }
  never(timer: unknown): void {
    this.timers.delete(timer as number);
  }
  left: string[] = [];
  leave = (id: string): void => void this.left.push(id);
  mergeText = (merged: string, kept: string): string => `${merged} into ${kept}`;
  can: CanUndo = { undo: false, redo: false, text: null };
  undo = new Undo((can) => (this.can = can));
  storage = new Map<string, string>();
  kept = new StoredSplits({ getItem: (key) => this.storage.get(key) ?? null, setItem: (key, value) => void this.storage.set(key, value) }, "lab");
}

function opened(): { service: Service; corrections: Corrections } {
  const service = new Service();
  return { service, corrections: new Corrections(service) };
}

describe("correcting", () => {
  it("keeps splits, of which the service keeps no list, for the next visit", async () => {
    const { service, corrections } = opened();
    await corrections.reject("f1");
    service.answer = { done: { mergeId: "m1", keptId: "a", mergedId: "b" } };
    await corrections.split("m1", "b is not a");
    const again = new Corrections(service);
    expect(again.done.value.map((one: Done) => [one.kind, one.text])).toEqual([["SPLIT", "b is not a"]]);
    await again.revert(again.done.value[0] as Done);
    expect(service.asked.at(-1)).toMatchObject({ variables: { keep: "a", merge: "b" } });
    expect(new Corrections(service).done.value).toEqual([]);
  });

  it("lists the merges that the service knows, also after a reload, and takes them back", async () => {
    const { service, corrections } = opened();
    service.answer = { corrections: [CORRECTION], merges: [{ mergeId: "m9", keptName: "St. Mary's", mergedName: "St", at: "2026-11-21T12:00:00Z" }] };
    await corrections.look(["ann"]);
    expect(corrections.done.value.map((one) => [one.kind, one.text])).toEqual([["MERGE", "St into St. Mary's"], ["REJECT", CORRECTION.text]]);
    service.answer = { done: { mergeId: "m9", keptId: "a", mergedId: "b" } };
    await corrections.revert(corrections.done.value[0] as Done);
    expect(service.asked.at(-1)).toMatchObject({ variables: { id: "m9" } });
  });

  it("removes an end with its own operation, and sends the other changes after it", async () => {
    const { service, corrections } = opened();
    expect(await corrections.edit("f1", { reopen: true }, WAS)).toBe("f1");
    expect(service.asked.map((one) => one.query.includes("reopenFact"))).toEqual([true]);
    expect(await corrections.edit("f1", { reopen: true, statement: "Ann loves tea" }, WAS)).toBe("f1");
    expect(service.asked.slice(1).map((one) => one.variables)).toMatchObject([{ id: "f1" }, { id: "f1", statement: "Ann loves tea" }]);
    service.answer = new Error("refused");
    expect([await corrections.edit("f1", { reopen: true, statement: "x" }, WAS), service.asked.length]).toEqual([null, 4]);
  });

  it("takes nothing for a kept action that is none", () => {
    const { service } = opened();
    for (const text of ["no JSON", "{}", '[1, null, {"id": "x"}]']) {
      service.storage.set("mnemoscene:deeds:lab", text);
      expect(service.kept.read()).toEqual([]);
    }
  });

  it("notes what was done and takes it back by the same id", async () => {
    const { service, corrections } = opened();
    await corrections.reject("f1");
    expect([corrections.latest.value?.kind, corrections.done.value.length]).toEqual(["REJECT", 1]);
    service.answer = { done: true };
    await corrections.revert(corrections.done.value[0] as never);
    expect(service.asked.at(-1)).toMatchObject({ variables: { id: "c1" } });
    expect([corrections.latest.value, corrections.done.value]).toEqual([null, []]);
  });

  it("is taken back by the page's undo, which names it, and once only", async () => {
    const { service, corrections } = opened();
    await corrections.reject("f1");
    expect(service.can).toEqual({ undo: true, redo: false, text: "Ann likes tea" });
    service.answer = { done: true };
    service.undo.undo();
    await vi.waitFor(() => expect(corrections.done.value).toEqual([]));
    expect(service.asked.at(-1)).toMatchObject({ variables: { id: "c1" } });
    expect([service.can.undo, corrections.on.value]).toEqual([false, true]);
    service.answer = { done: CORRECTION };
    await corrections.confirm("f1");
    await corrections.revert(corrections.done.value[0] as Done);
    expect(service.can.undo).toBe(false);
  });

  it("is done again by the page's redo, with the ids that the service gives it then", async () => {
    const { service, corrections } = opened();
    const settled = (n: number): Promise<void> => vi.waitFor(() => expect([service.asked.length, corrections.busy.value]).toEqual([n, false]));
    await corrections.reject("f1");
    await corrections.confirm("f2");
    for (const n of [3, 4]) {
      service.undo.undo();
      await settled(n);
    }
    expect(service.can).toEqual({ undo: false, redo: true, text: null });
    service.answer = { done: { ...CORRECTION, id: "c7" } };
    service.undo.redo();
    await settled(5);
    expect([service.asked.at(-1), service.can.redo, corrections.latest.value?.id]).toEqual([service.asked[0], true, "c7"]);
    service.undo.undo();
    await settled(6);
    expect(service.asked.at(-1)?.variables).toEqual({ id: "c7" });
    service.answer = new Error("away");
    service.undo.redo();
    await settled(7);
    expect([service.can.undo, service.can.redo, corrections.failure.value]).toEqual([false, true, "away"]);
    service.answer = { done: CORRECTION };
    await corrections.pin("f3");
    expect(service.can.redo).toBe(false);
    service.answer = new Error("away");
    service.undo.undo();
    await settled(9);
    expect([service.can.undo, service.can.redo]).toEqual([true, false]);
  });

  it("is done again after its undo, whose answer the redo does not wait for", async () => {
    const { service, corrections } = opened();
    await corrections.reject("f1");
    service.undo.undo();
    service.undo.redo();
    await vi.waitFor(() => expect([service.asked.length, corrections.busy.value]).toEqual([3, false]));
    expect(service.asked[2]).toEqual(service.asked[0]);
    expect([service.can.undo, service.can.redo, corrections.done.value.length]).toEqual([true, false, 1]);
  });

  it("splits again what was merged meanwhile, by the id of that merge", async () => {
    const { service, corrections } = opened();
    service.answer = { done: { mergeId: "m1", keptId: "a", mergedId: "b" } };
    await corrections.split("m1", "b is not a");
    service.answer = { done: { mergeId: "m2", keptId: "a", mergedId: "b" } };
    await corrections.revert(corrections.done.value[0] as Done);
    service.undo.redo();
    await vi.waitFor(() => expect(corrections.done.value.length).toBe(1));
    expect(service.asked.map((one) => one.variables)).toMatchObject([{ id: "m1" }, { keep: "a", merge: "b" }, { id: "m2" }]);
  });

  it("ends a fact again whose end was removed", async () => {
    const { service, corrections } = opened();
    await corrections.edit("f1", { reopen: true }, WAS);
    service.undo.undo();
    await vi.waitFor(() => expect(service.asked.at(-1)).toMatchObject({ variables: { id: "f1", invalidAt: WAS.endedAt } }));
  });

  it("keeps by undo what is being forgotten, which cannot be undone afterwards", () => {
    const { service, corrections } = opened();
    corrections.forget("fact", "f1", "Ann likes tea");
    service.undo.undo();
    expect([corrections.waiting.value, service.asked, service.can.undo]).toEqual([null, [], false]);
    corrections.forget("fact", "f1", "Ann likes tea");
    service.timers.get(GRACE_MS)?.();
    expect(service.can.undo).toBe(false);
  });

  it("adds a fact, whose sentence and subject may be left out", async () => {
    const { service, corrections } = opened();
    const draft = { userId: "ann", subject: " Ann ", predicate: "PREFERS", relation: "", object: " tea ", statement: "" };
    const fact = newFact(draft, "Ann", new Words("en"));
    expect(fact).toEqual({ userId: "ann", subject: "user", predicate: "PREFERS", relation: null, object: "tea", statement: "Ann likes tea" });
    expect(newFact({ ...draft, subject: "Rex" }, "Ann", new Words("en"))).toMatchObject({ subject: "Rex", statement: "Rex likes tea" });
    expect(newFact({ ...draft, subject: "", object: "茶" }, "安", new Words("zh"))?.statement).toBe("安喜欢茶");
    expect(newFact({ ...draft, object: " " }, "Ann", new Words("en"))).toBeNull();
    await corrections.add(fact as never);
    expect(service.asked.at(-1)).toMatchObject({ variables: { input: fact } });
    expect(service.can.undo).toBe(true);
  });

  it("says why something was refused and keeps what was done before", async () => {
    const { service, corrections } = opened();
    await corrections.confirm("f1");
    service.answer = new Error("it does not hold");
    expect(await corrections.pin("f1")).toBeNull();
    expect([corrections.failure.value, corrections.done.value.length, corrections.busy.value]).toEqual(["it does not hold", 1, false]);
  });

  it("splits to take a merge back, and merges to take a split back", async () => {
    const { service, corrections } = opened();
    service.answer = { done: { mergeId: "m", keptId: "a", mergedId: "b" } };
    await corrections.merge("a", "b", "B is the same as A");
    await corrections.split("m", "B is not the same as A");
    expect(corrections.done.value.map((one) => one.back)).toEqual([{ merge: { keep: "a", merge: "b" } }, { split: "m" }]);
    expect(inverseOperation({ merge: { keep: "a", merge: "b" } }, "why").variables).toEqual({ keep: "a", merge: "b", reason: "why" });
  });

  it("sends nothing of a forgetting before its grace is over, and nothing at all when it was taken back", async () => {
    const { service, corrections } = opened();
    corrections.forget("Entity", "e1", "tea");
    expect([service.asked, corrections.waiting.value?.untilMs]).toEqual([[], 1_000 + GRACE_MS]);
    corrections.keep();
    expect([service.timers.size, corrections.waiting.value]).toEqual([0, null]);
    corrections.forget("Entity", "e1", "tea");
    service.timers.get(GRACE_MS)?.();
    expect(service.asked.map((one) => one.query)).toEqual([forget("Entity", "e1").query]);
    expect(service.left).toEqual(["e1"]);
    await vi.waitFor(() => expect(corrections.forgotten.value).toBe("tea"));
    await corrections.confirm("f1");
    expect(corrections.forgotten.value).toBeNull();
  });

  it("keeps what was to be forgotten when it is switched off", () => {
    const { service, corrections } = opened();
    corrections.switchTo(true);
    corrections.forget("fact", "f1", "Ann likes tea");
    corrections.switchTo(false);
    expect([service.timers.size, corrections.waiting.value, service.asked]).toEqual([0, null, []]);
  });

  it("lists what others corrected, the latest first, beside merges of now", async () => {
    const { service, corrections } = opened();
    service.answer = { done: { mergeId: "m", keptId: "a", mergedId: "b" } };
    await corrections.merge("a", "b", "one");
    service.answer = { corrections: [CORRECTION, { ...CORRECTION, id: "c2", at: "2026-11-21T11:00:00Z" }], merges: [{ mergeId: "m", keptName: "a", mergedName: "b", at: "1970-01-01T00:00:01Z" }] };
    await corrections.look(["ann"]);
    expect(corrections.done.value.map((one) => one.id)).toEqual(["c2", "c1", "m"]);
  });
});

describe("the list", () => {
  it.each([["It is so: Ann likes tea", "Ann likes tea"], ["并非如此：她喜欢茶：绿茶", "她喜欢茶：绿茶"], ["Ann likes tea", "Ann likes tea"]])("says %j in its own words", (text, bare) => {
    expect(bareText({ kind: "CONFIRM", text })).toBe(bare);
    expect(bareText({ kind: "MERGE", text })).toBe(text);
  });
});

describe("an edit", () => {
  const was: FactAsItIs = { statement: "Ann likes tea", object: "tea", predicate: "PREFERS", relation: "", from: "2026-01-01", until: "" };

  it("holds what changed, and the words when it says something else", () => {
    expect(editOf(was, { ...was, from: "2026-02-01" })).toEqual({ validAt: "2026-02-01T00:00:00Z" });
    expect(editOf(was, { ...was, object: "green tea" })).toEqual({ object: "green tea", statement: "Ann likes tea" });
    expect(editOf(was, { ...was, statement: " Ann likes 茶 " })).toEqual({ statement: "Ann likes 茶" });
  });

  it("removes the end when that field is cleared", () => {
    const ended = { ...was, until: "2026-05-01" };
    expect(editOf(ended, { ...ended, until: "" })).toEqual({ reopen: true });
    expect(editOf(ended, { ...ended, until: "2026-06-01" })).toEqual({ invalidAt: "2026-06-01T00:00:00Z" });
  });

  it("is none when nothing changed or words are missing", () => {
    expect([editOf(was, { ...was }), editOf(was, { ...was, statement: " " }), editOf(was, { ...was, object: "" })]).toEqual([null, null, null]);
  });

  it("puts the new name into the words, whatever signs it has", () => {
    expect(statementWith("Ann likes tea", "tea", "$& coffee")).toBe("Ann likes $& coffee");
    expect(statementWith("Ann drinks it", "tea", "coffee")).toBe("Ann drinks it");
  });
});

describe("the preview of a merge", () => {
  it("shows the name that stays, the other names, and the facts of both without doubles", () => {
    const [alps, mountains] = [aNode("a", { label: "Alps", aliases: ["the Alps"] }), aNode("m", { label: "mountains" })];
    const edges = [
      anEdge("1", "u", "a"),
      anEdge("2", "u", "m"),
      anEdge("3", "m", "x", { predicate: "RELATES_TO", relation: "in" }),
      anEdge("4", "a", "m", { predicate: "RELATES_TO" }),
      anEdge("5", "u", "m", { predicate: "DISLIKES", invalid_at: "2026-01-01T00:00:00Z" }),
      anEdge("6", "s", "m", { predicate: "MENTIONED" }),
    ];
    expect(mergePreview(alps, mountains, edges)).toEqual({ name: "Alps", aliases: ["the Alps", "mountains"], facts: 2 });
    expect(mergePreview(mountains, alps, edges)).toMatchObject({ name: "mountains", aliases: ["Alps", "the Alps"] });
  });
});
