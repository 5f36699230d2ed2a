/** Entities that may be the same as another one, as the service suggests. */

import { onUnmounted, type Ref, shallowRef, watch } from "vue";
import { askGraphql } from "../live/requests";
import { useSession } from "../view/session";

export interface Suggestion {
  firstId: string;
  firstName: string;
  secondId: string;
  secondName: string;
  score: number;
}

export interface Likeness {
  id: string;
  name: string;
  score: number;
}

const SUGGESTED = `query($userId: String) {
  suggestedMerges(userId: $userId, limit: 100) { firstId firstName secondId secondName score }
}`;

/** Return what an entity may be the same as, most likely first. */
export function likenessesOf(id: string, suggestions: readonly Suggestion[]): Likeness[] {
  const found = suggestions.flatMap(({ firstId, firstName, secondId, secondName, score }) => {
    if (firstId === id) return [{ id: secondId, name: secondName, score }];
    return secondId === id ? [{ id: firstId, name: firstName, score }] : [];
  });
  return found.sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
}

/** The service compares all things of a person, which takes seconds in a large memory, so wait until a selection stays. */
const STAYED_MS = 600;

/**
 * Fetch what the selected entity may be the same as; nothing for others.
 *
 * @param version changes with the element, so that it is fetched again.
 */
export function useLikenesses(id: Ref<string>, kind: Ref<string>, version: Ref<string>): Ref<readonly Likeness[]> {
  const { graph, tenant } = useSession();
  const found = shallowRef<readonly Likeness[]>([]);
  let pending: AbortController | null = null;

  watch([id, kind, version], async () => {
    pending?.abort();
    const mine = (pending = new AbortController());
    found.value = [];
    if (kind.value !== "Entity") return;
    const userId = graph.value.nodes.get(id.value)?.user_id ?? null;
    await new Promise((stayed) => setTimeout(stayed, STAYED_MS));
    if (mine.signal.aborted) return;
    // Optional: without a response nothing is suggested.
    const answer = await askGraphql<{ suggestedMerges: Suggestion[] }>(SUGGESTED, { userId }, tenant, mine.signal).catch(() => null);
    if (!mine.signal.aborted && answer) found.value = likenessesOf(id.value, answer.suggestedMerges);
  }, { immediate: true });
  onUnmounted(() => pending?.abort());
  return found;
}
