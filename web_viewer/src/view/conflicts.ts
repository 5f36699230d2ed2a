/** The facts that contradict each other, which the service decides. */

import { type Ref, shallowRef } from "vue";
import { askGraphql } from "../live/requests";
import { Throttle } from "../map/throttle";

/** More memories than these are not compared at once. */
const USERS_MAX = 10;
const AGAIN_MS = 5_000;

export interface ConflictsHost {
  tenant: string;
  /** Ids of the users of the shown memories. */
  people(): readonly string[];
}

export class Conflicts {
  /** Ids of facts, two of each contradiction. */
  readonly ids: Ref<ReadonlySet<string>> = shallowRef(new Set());
  private readonly pace = new Throttle(() => void this.load(), AGAIN_MS);
  private loading = 0;

  constructor(private readonly host: ConflictsHost) {}

  /** Ask again, at most every five seconds, because facts have changed. */
  ask(): void {
    this.pace.ask();
  }

  clear(): void {
    this.loading += 1;
    this.pace.stop();
    this.ids.value = new Set();
  }

  private async load(): Promise<void> {
    const mine = ++this.loading;
    const people = this.host.people().slice(0, USERS_MAX);
    if (people.length === 0) return;
    const names = people.map((_, index) => `$u${index}: String!`).join(", ");
    const fields = people.map((_, index) => `c${index}: contradictions(userId: $u${index}) { facts { id } }`).join(" ");
    const variables = Object.fromEntries(people.map((user, index) => [`u${index}`, user]));
    try {
      const found = await askGraphql<Record<string, { facts: { id: string }[] }[]>>(`query(${names}) { ${fields} }`, variables, this.host.tenant);
      if (mine !== this.loading) return;
      this.ids.value = new Set(Object.values(found).flatMap((cards) => cards.flatMap((card) => card.facts.map((fact) => fact.id))));
    } catch {
      // The status bar shows that the service is away; what it said last stays.
    }
  }
}
