/** Marks of new elements, which fade: a memory that grows fast would be covered with them. The count of what is new stays. */

export const MARKED_MS = 30_000;

export class NewMarks {
  private born = new Map<string, number>();

  /**
   * @param fresh what has not been looked at.
   * @returns those of them that are marked, and when the first mark fades; null without one.
   */
  at(fresh: readonly string[], nowMs: number): { marked: Set<string>; nextMs: number | null } {
    this.born = new Map(fresh.map((id) => [id, this.born.get(id) ?? nowMs]));
    const marked = [...this.born].filter(([, at]) => nowMs - at < MARKED_MS);
    return { marked: new Set(marked.map(([id]) => id)), nextMs: marked.length === 0 ? null : Math.min(...marked.map(([, at]) => at)) + MARKED_MS };
  }
}
