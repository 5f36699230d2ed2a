/** Run corrections; keep the list of those done, their undo, and deletions in their grace period. */

import { type Ref, ref, shallowRef } from "vue";
import type { Undo, UndoStep } from "../view/undo";
import * as operations from "./operations";

/** Grace period of a deletion, which cannot be undone later. */
export const GRACE_MS = 10_000;
const LISTED_MAX = 20;
/** Id of the step of a waiting deletion. */
const FORGETTING = "forgetting";
const USERS_MAX = 5;

export type DoneKind = "ADD" | "UPDATE" | "CONFIRM" | "REJECT" | "PIN" | "MERGE" | "SPLIT";

export interface Done {
  id: string;
  kind: DoneKind;
  text: string;
  at: string;
  /** Stored, and processed soon. */
  pending: boolean;
  back: operations.Inverse;
}

export interface Waiting {
  id: string;
  text: string;
  untilMs: number;
}

export interface CorrectWorld {
  ask<T>(operation: operations.Operation): Promise<T>;
  now(): number;
  later(then: () => void, ms: number): unknown;
  never(timer: unknown): void;
  /** Close the details of an element that is being forgotten. */
  leave(id: string): void;
  /** The name of a merge in the list. */
  mergeText(merged: string, kept: string): string;
  /** The undo of the page. */
  undo: Pick<Undo, "note" | "drop" | "markDone" | "markUndone">;
  /** Splits, stored across reloads. */
  kept: { read(): Done[]; write(done: readonly Done[]): void };
}

interface Step extends UndoStep {
  /** What the service answered when it was undone. */
  reverted?: unknown;
}

/** Does a correction again, of which the service may keep another id; null if it was refused. */
type Again = (reverted: unknown) => Promise<Done | null>;

export class Corrections {
  /** The switch; off on page load. */
  readonly on = ref(false);
  readonly busy = ref(false);
  readonly failure: Ref<string | null> = ref(null);
  /** Latest first. */
  readonly done: Ref<readonly Done[]> = shallowRef([]);
  /** The last correction, offered for undo. */
  readonly latest: Ref<Done | null> = shallowRef(null);
  readonly waiting: Ref<Waiting | null> = shallowRef(null);
  /** The first of two nodes to merge, while the other is being chosen. */
  readonly mergeFrom: Ref<{ id: string; label: string } | null> = shallowRef(null);
  /** What was forgotten last, until something else is done. */
  readonly forgotten: Ref<string | null> = ref(null);
  private timer: unknown = null;
  /** Steps of the page's undo by the id of what they take back. */
  private readonly steps = new Map<string, Step>();
  /** Undos and redos that are not answered yet, and the last of them. */
  private queued = 0;
  private last: Promise<void> = Promise.resolve();

  constructor(private readonly world: CorrectWorld) {
    this.done.value = world.kept.read();
  }

  add(fact: operations.ManualFact): Promise<operations.Correction | null> {
    return this.correct(operations.addFact(fact));
  }

  confirm(id: string): Promise<operations.Correction | null> {
    return this.correct(operations.confirmFact(id));
  }

  pin(id: string): Promise<operations.Correction | null> {
    return this.correct(operations.pinFact(id));
  }

  reject(id: string): Promise<operations.Correction | null> {
    return this.correct(operations.rejectFact(id));
  }

  /**
   * @param was the fact before, for the undo of a removed end.
   * @returns the id of the edited fact; null if it was refused.
   */
  async edit(id: string, { reopen, ...edit }: operations.FactEdit, was: { text: string; endedAt: string | null }): Promise<string | null> {
    if (reopen) {
      const ended = was.endedAt;
      const open = (): Promise<unknown> => this.attempt(operations.reopenFact(id, "corrected by a person"));
      const done = (): Done => ({ id: `reopened ${id}`, kind: "UPDATE", text: was.text, at: this.at(), pending: false, back: { end: { id, at: ended ?? "" } } });
      if ((await open()) === null) return null;
      if (ended !== null) this.note(done(), async () => ((await open()) === null ? null : done()));
    }
    if (Object.keys(edit).length === 0) return id;
    const done = await this.correct(operations.updateFact(id, edit));
    return done && (done.factId ?? id);
  }

  /** @param text the name of the correction in the list. */
  async merge(keep: string, merge: string, text: string): Promise<boolean> {
    const act = async (): Promise<Done | null> => {
      const receipt = await this.attempt<operations.MergeReceipt>(operations.mergeEntities(keep, merge, text));
      return receipt && { id: receipt.mergeId, kind: "MERGE", text, at: this.at(), pending: false, back: { split: receipt.mergeId } };
    };
    const done = await act();
    if (!done) return false;
    this.mergeFrom.value = null;
    this.note(done, act);
    return true;
  }

  async split(id: string, text: string): Promise<boolean> {
    const act = async (merge: string): Promise<Done | null> => {
      const receipt = await this.attempt<operations.MergeReceipt>(operations.splitEntity(merge));
      return receipt && { id: `split ${receipt.mergeId}`, kind: "SPLIT", text, at: this.at(), pending: false, back: { merge: { keep: receipt.keptId, merge: receipt.mergedId } } };
    };
    const done = await act(id);
    // Undone by a merge, which has an id of its own.
    if (done) this.note(done, (merged) => act((merged as operations.MergeReceipt).mergeId));
    return done !== null;
  }

  async revert(one: Done): Promise<boolean> {
    const step = this.steps.get(one.id);
    const done = await this.takeBack(one);
    if (done && step) this.world.undo.markUndone(step);
    return done;
  }

  private async takeBack(one: Done): Promise<boolean> {
    const reverted = await this.attempt(operations.inverseOperation(one.back, one.text));
    if (reverted === null) return false;
    const step = this.steps.get(one.id);
    if (step) step.reverted = reverted;
    this.steps.delete(one.id);
    this.list(this.done.value.filter((other) => other.id !== one.id));
    if (this.latest.value?.id === one.id) this.latest.value = null;
    return true;
  }

  /** Delete after the grace period; until then nothing is sent. */
  forget(kind: string, id: string, text: string): void {
    if (this.waiting.value !== null) return;
    this.failure.value = null;
    this.latest.value = null;
    this.waiting.value = { id, text, untilMs: this.world.now() + GRACE_MS };
    this.timer = this.world.later(() => void this.forgetNow(kind, id), GRACE_MS);
    this.noteStep(FORGETTING, { text, undo: () => this.keep() });
  }

  /** Cancel the waiting deletion; nothing was sent yet. */
  keep(): void {
    this.world.never(this.timer);
    this.waiting.value = null;
    this.dropStep(FORGETTING);
  }

  /** Fetch earlier corrections, including those of other people; without a response the list starts empty. */
  async look(userIds: readonly string[]): Promise<void> {
    const own = this.done.value.filter(isSplit);
    try {
      const requests = userIds.slice(0, USERS_MAX).map((userId) => this.world.ask<{ corrections: operations.Correction[]; merges: operations.StoredMerge[] }>(operations.latestCorrections(userId, LISTED_MAX)));
      const found = (await Promise.all(requests)).flatMap((answer) => [...answer.corrections.map(doneOf), ...answer.merges.map((one) => mergeOf(one, this.world.mergeText))]);
      this.list([...own, ...found].sort((a, b) => (a.at < b.at ? 1 : -1)));
    } catch (error) {
      this.failure.value = wordsOf(error);
    }
  }

  switchTo(on: boolean): void {
    this.on.value = on;
    this.mergeFrom.value = null;
    this.failure.value = null;
    this.latest.value = null;
    this.forgotten.value = null;
    if (!on && this.waiting.value !== null) this.keep();
  }

  private async forgetNow(kind: string, id: string): Promise<void> {
    const text = this.waiting.value?.text ?? "";
    this.waiting.value = null;
    this.dropStep(FORGETTING);
    // Before the service answers: nothing of it is shown or requested again.
    this.world.leave(id);
    if ((await this.attempt(operations.forget(kind, id))) !== null) this.forgotten.value = text;
  }

  private async correct(operation: operations.Operation): Promise<operations.Correction | null> {
    const correction = await this.attempt<operations.Correction>(operation);
    if (correction)
      this.note(doneOf(correction), async () => {
        const again = await this.attempt<operations.Correction>(operation);
        return again && doneOf(again);
      });
    return correction;
  }

  private note(one: Done, again: Again): void {
    let current = one;
    const step: Step = {
      text: bareText(one),
      undo: () => this.outside(async () => {
        if (!(await this.takeBack(current))) this.world.undo.markDone(step);
      }),
      redo: () => this.outside(async () => {
        const done = await again(step.reverted);
        if (done === null) return this.world.undo.markUndone(step);
        current = done;
        this.show(done, step);
      }),
    };
    this.show(one, step);
    this.world.undo.note(step);
  }

  private show(one: Done, step: Step): void {
    this.latest.value = one;
    this.steps.set(one.id, step);
    this.list([one, ...this.done.value.filter((other) => other.id !== one.id)]);
  }

  /** Undo or redo from outside the bar, which is opened because it says what becomes of it; one after the other. False while a form is saved. */
  private outside(action: () => Promise<void>): boolean {
    this.on.value = true;
    if (this.busy.value && this.queued === 0) return false;
    this.queued += 1;
    this.last = this.last.then(action).finally(() => (this.queued -= 1));
    return true;
  }

  private noteStep(id: string, step: Step): void {
    this.steps.set(id, step);
    this.world.undo.note(step);
  }

  private dropStep(id: string): void {
    const step = this.steps.get(id);
    if (step !== undefined) this.world.undo.drop(step);
    this.steps.delete(id);
  }

  private list(done: readonly Done[]): void {
    this.done.value = done.slice(0, LISTED_MAX);
    this.world.kept.write(this.done.value.filter(isSplit));
  }

  /** @returns null if it was refused; `failure` has the reason. */
  private async attempt<T>(operation: operations.Operation): Promise<T | null> {
    if (this.busy.value) return null;
    this.busy.value = true;
    this.failure.value = null;
    this.forgotten.value = null;
    try {
      return (await this.world.ask<{ done: T }>(operation)).done;
    } catch (error) {
      this.failure.value = wordsOf(error);
      return null;
    } finally {
      this.busy.value = false;
    }
  }

  private at(): string {
    return new Date(this.world.now()).toISOString();
  }
}

/** Remove the prefix that the service adds to a statement: the list has its own, translated. */
export function bareText(one: Pick<Done, "kind" | "text">): string {
  const framed = one.kind === "UPDATE" || one.kind === "CONFIRM" || one.kind === "REJECT" || one.kind === "PIN";
  return framed ? one.text.replace(/^[^:：]{2,20}[:：]\s*/, "") : one.text;
}

/** Splits, of which the service keeps no list. */
function isSplit(one: Done): boolean {
  return one.kind === "SPLIT";
}

function mergeOf(one: operations.StoredMerge, text: CorrectWorld["mergeText"]): Done {
  return { id: one.mergeId, kind: "MERGE", text: text(one.mergedName, one.keptName), at: one.at, pending: false, back: { split: one.mergeId } };
}

function doneOf(one: operations.Correction): Done {
  return { id: one.id, kind: one.kind, text: one.text, at: one.at, pending: one.pending, back: { correction: one.id } };
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
