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
  undo: Pick<Undo, "note" | "drop">;
  /** Splits, stored across reloads. */
  kept: { read(): Done[]; write(done: readonly Done[]): void };
}

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
  private readonly steps = new Map<string, UndoStep>();

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
      if ((await this.attempt(operations.reopenFact(id, "corrected by a person"))) === null) return null;
      if (was.endedAt !== null) this.note({ id: `reopened ${id}`, kind: "UPDATE", text: was.text, at: this.at(), pending: false, back: { end: { id, at: was.endedAt } } });
    }
    if (Object.keys(edit).length === 0) return id;
    const done = await this.correct(operations.updateFact(id, edit));
    return done && (done.factId ?? id);
  }

  /** @param text the name of the correction in the list. */
  async merge(keep: string, merge: string, text: string): Promise<boolean> {
    const receipt = await this.attempt<operations.MergeReceipt>(operations.mergeEntities(keep, merge, text));
    if (!receipt) return false;
    this.mergeFrom.value = null;
    this.note({ id: receipt.mergeId, kind: "MERGE", text, at: this.at(), pending: false, back: { split: receipt.mergeId } });
    return true;
  }

  async split(id: string, text: string): Promise<boolean> {
    const receipt = await this.attempt<operations.MergeReceipt>(operations.splitEntity(id));
    if (!receipt) return false;
    this.note({ id: `split ${receipt.mergeId}`, kind: "SPLIT", text, at: this.at(), pending: false, back: { merge: { keep: receipt.keptId, merge: receipt.mergedId } } });
    return true;
  }

  async revert(one: Done): Promise<boolean> {
    if ((await this.attempt(operations.inverseOperation(one.back, one.text))) === null) return false;
    this.dropStep(one.id);
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
    if (correction) this.note(doneOf(correction));
    return correction;
  }

  private note(one: Done): void {
    this.latest.value = one;
    const step: UndoStep = { text: bareText(one), undo: () => void this.undo(one, step) };
    this.noteStep(one.id, step);
    this.list([one, ...this.done.value.filter((other) => other.id !== one.id)]);
  }

  /** Undo from outside the bar, which is opened because it says what becomes of it. */
  private undo(one: Done, step: UndoStep): void {
    this.on.value = true;
    if (this.busy.value) this.world.undo.note(step);
    else void this.revert(one);
  }

  private noteStep(id: string, step: UndoStep): void {
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
