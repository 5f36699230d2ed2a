/** Run through a stack of cards: answer, skip, undo. */

import { type Ref, ref, shallowRef } from "vue";
import type { FactEdit, Operation } from "../correct/operations";
import type { Undo, UndoStep } from "../view/undo";
import { type Answer, type Card, editing, STACK, type Stack, type Step, stepsOf } from "./answers";

export const STACK_MAX = 12;
const USERS_MAX = 5;

export interface Settled {
  card: Card;
  answer: Answer | "skip";
  /** Operations that undo it, last first. */
  back: Operation[];
  /** The step of the page's undo; null for a skipped card. */
  step: UndoStep | null;
}

export interface ReviewWorld {
  ask<T>(operation: Operation): Promise<T>;
  nowIso(): string;
  /** The undo of the page. */
  undo: Pick<Undo, "note" | "drop">;
  /** Wording of the reason of a merge. */
  mergeReason(card: Card): string;
}

export class Review {
  readonly cards: Ref<readonly Card[]> = shallowRef([]);
  readonly settled: Ref<readonly Settled[]> = shallowRef([]);
  /** Settled today before this stack was fetched. */
  readonly before = ref(0);
  /** Cards that could still be asked when this stack was fetched. */
  readonly left = ref(0);
  readonly busy = ref(false);
  readonly loaded = ref(false);
  readonly failure: Ref<string | null> = ref(null);
  private loading = 0;

  constructor(private readonly world: ReviewWorld) {}

  get card(): Card | null {
    return this.cards.value[0] ?? null;
  }

  /** Answers of this sitting, without skipped cards. */
  get answered(): number {
    return this.settled.value.filter((one) => one.answer !== "skip").length;
  }

  async load(users: readonly string[]): Promise<void> {
    const mine = ++this.loading;
    this.failure.value = null;
    const some = users.slice(0, USERS_MAX);
    const limit = Math.max(1, Math.ceil(STACK_MAX / Math.max(some.length, 1)));
    try {
      const stacks = await Promise.all(some.map((userId) => this.stack(userId, limit)));
      if (mine !== this.loading) return;
      this.cards.value = stacks.flatMap((one) => one.cards);
      this.before.value = stacks.reduce((sum, one) => sum + one.settledToday, 0);
      this.left.value = stacks.reduce((sum, one) => sum + one.left, 0);
      this.settled.value = [];
      this.loaded.value = true;
    } catch (error) {
      if (mine === this.loading) this.failure.value = wordsOf(error);
    }
  }

  /** @returns false if the answer needs a form, or was refused. */
  async answer(answer: Answer): Promise<boolean> {
    const card = this.card;
    if (card === null) return false;
    const steps = stepsOf(card, answer, this.world.nowIso(), this.world.mergeReason(card));
    return steps !== null && this.settle(card, answer, steps);
  }

  async edit(edit: FactEdit): Promise<boolean> {
    const card = this.card;
    const fact = card?.facts[0];
    return card !== null && fact !== undefined && this.settle(card, "correct", [editing(fact.id, edit)]);
  }

  /** Ask it again on another day. */
  skip(): void {
    const card = this.card;
    if (card !== null && !this.busy.value) this.done({ card, answer: "skip", back: [], step: null });
  }

  async undo(last = this.settled.value[0]): Promise<boolean> {
    if (last === undefined || this.busy.value) return false;
    return this.run(async () => {
      for (const operation of last.back) await this.world.ask(operation);
      if (last.step !== null) this.world.undo.drop(last.step);
      this.settled.value = this.settled.value.filter((one) => one !== last);
      this.cards.value = [last.card, ...this.cards.value];
    });
  }

  private async stack(userId: string, limit: number): Promise<Stack> {
    const operation = { query: `query($userId: String!, $limit: Int!) { reviewCards(userId: $userId, limit: $limit) ${STACK} }`, variables: { userId, limit } };
    const { reviewCards } = await this.world.ask<{ reviewCards: Stack }>(operation);
    return { ...reviewCards, cards: reviewCards.cards.map((card) => ({ ...card, userId })) };
  }

  private async settle(card: Card, answer: Answer, steps: readonly Step[]): Promise<boolean> {
    if (this.busy.value) return false;
    const back: Operation[] = [];
    const ok = await this.run(async () => {
      for (const step of steps) back.unshift(step.inverse((await this.world.ask<{ done: unknown }>(step.operation)).done));
    });
    if (ok) {
      const settled: Settled = { card, answer, back, step: null };
      settled.step = { text: card.facts[0]?.statement ?? card.entities.map((one) => one.name).join(" · "), undo: () => void this.undo(settled) };
      this.world.undo.note(settled.step);
      this.done(settled);
    }
    // Half an answer would be worse than none.
    else if (back.length > 0) await this.revert(back);
    return ok;
  }

  private async revert(back: readonly Operation[]): Promise<void> {
    const why = this.failure.value;
    await this.run(async () => {
      for (const operation of back) await this.world.ask(operation);
    });
    this.failure.value = why;
  }

  private done(settled: Settled): void {
    this.settled.value = [settled, ...this.settled.value];
    this.cards.value = this.cards.value.filter((one) => one.id !== settled.card.id);
  }

  private async run(action: () => Promise<void>): Promise<boolean> {
    this.busy.value = true;
    this.failure.value = null;
    try {
      await action();
      return true;
    } catch (error) {
      this.failure.value = wordsOf(error);
      return false;
    } finally {
      this.busy.value = false;
    }
  }
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
