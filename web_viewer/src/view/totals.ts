/** How much a memory holds of which the page has loaded a part, as the service counts it. */

import { type Ref, shallowRef } from "vue";
import { askService, queryString } from "../live/requests";
import { Throttle } from "../map/throttle";
import type { GraphEdge, GraphNode } from "../protocol/frames";
import { GROUPS } from "../protocol/vocabulary";
import type { FactCount, MapTotals } from "../protocol/generated";

const AGAIN_MS = 5_000;
/** Id of the object of the facts of a count, which stands for all of them. */
const OBJECT = "";

export class Totals {
  readonly value: Ref<MapTotals | null> = shallowRef(null);
  private readonly pace = new Throttle(() => void this.load(), AGAIN_MS);
  /** Number of the last load. */
  private loads = 0;

  constructor(private readonly host: { tenant: string; user(): string | null }) {}

  /** Ask again, at most every five seconds. */
  ask(): void {
    this.pace.ask();
  }

  clear(): void {
    this.loads += 1;
    this.pace.stop();
    this.value.value = null;
  }

  private async load(): Promise<void> {
    const mine = ++this.loads;
    // Without an answer, as for a memory that is too large to count, the page says that there are more.
    const found = await askService<MapTotals>(`explore/totals${queryString({ user: this.host.user() })}`, this.host.tenant).catch(() => null);
    if (mine === this.loads) this.value.value = found;
  }
}

/** Return a fact that is like those of a count, and the nodes of its ends; most other fields are missing. */
export function exampleOf(count: FactCount): { edge: GraphEdge; nodes: ReadonlyMap<string, GraphNode> } {
  const { subject, predicate, relation, category, kind, entity_type, avoided } = count;
  const statement = avoided ? (GROUPS.avoids?.said?.[0] ?? null) : null;
  const edge = { id: OBJECT, source: subject, target: OBJECT, predicate, relation, category, statement, confidence: 1, invalid_at: null } as GraphEdge;
  const nodes = new Map([[subject, { id: subject, kind: "User" }], [OBJECT, { id: OBJECT, kind, entity_type }]]) as unknown as ReadonlyMap<string, GraphNode>;
  return { edge, nodes };
}

/** Return the numbers of a subject's valid facts by a property of them, such as their predicate. */
export function factTotals(totals: MapTotals, subject: string, by: (edge: GraphEdge, nodes: ReadonlyMap<string, GraphNode>) => string): ReadonlyMap<string, number> {
  const numbers = new Map<string, number>();
  for (const count of totals.facts) {
    if (count.subject !== subject) continue;
    const { edge, nodes } = exampleOf(count);
    const name = by(edge, nodes);
    numbers.set(name, (numbers.get(name) ?? 0) + count.n);
  }
  return numbers;
}
