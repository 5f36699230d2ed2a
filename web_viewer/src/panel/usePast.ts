/** History and causes of the selection; loaded after the evidence, and optional. */

import { onUnmounted, type Ref, shallowRef, watch } from "vue";
import type { GraphPart } from "../protocol/generated";
import { useSession } from "../view/session";
import { fetchCauses, fetchHistory, type FactVersion } from "./past";

export interface Past {
  versions: Ref<readonly FactVersion[]>;
  causes: Ref<GraphPart | null>;
}

/**
 * @param id of the selection.
 * @param isFact null while unknown, and once the selection is gone.
 * @param version changes with the element, so that both are fetched again.
 */
export function usePast(id: Ref<string>, isFact: Ref<boolean | null>, version: Ref<string>): Past {
  const { chosen, tenant } = useSession();
  const versions = shallowRef<readonly FactVersion[]>([]);
  const causes = shallowRef<GraphPart | null>(null);
  let pending: AbortController | null = null;
  let shown = "";

  watch([id, isFact, version], () => void load(), { immediate: true });
  onUnmounted(() => pending?.abort());

  async function load(): Promise<void> {
    pending?.abort();
    if (id.value !== shown || isFact.value === null) [versions.value, causes.value, shown] = [[], null, id.value];
    if (id.value === "" || isFact.value === null) return;
    const { signal } = (pending = new AbortController());
    const pastVersions = isFact.value ? fetchHistory(id.value, tenant, signal) : Promise.resolve([]);
    const [history, why] = await Promise.allSettled([pastVersions, fetchCauses(id.value, chosen.user, tenant, signal)]);
    if (signal.aborted) return;
    versions.value = history.status === "fulfilled" ? history.value : [];
    causes.value = why.status === "fulfilled" && why.value.paths.length > 0 ? why.value : null;
  }

  return { versions, causes };
}
