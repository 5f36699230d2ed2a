/** The corrections of the page, and whether the user may make any. */

import { computed, type ComputedRef, inject, type InjectionKey, ref, watch } from "vue";
import { askGraphql, askService } from "../live/requests";
import { browserStorage } from "../view/browserStorage";
import { type Session } from "../view/session";
import { Corrections } from "./corrections";
import { StoredSplits } from "./storedSplits";

export interface Correcting {
  corrections: Corrections;
  /** The credential may write; otherwise the switch is hidden. */
  allowed: ComputedRef<boolean>;
  /** The switch is on and the service is reachable. */
  active: ComputedRef<boolean>;
}

const CORRECTING: InjectionKey<Correcting> = Symbol("correcting");
const WRITERS = new Set(["write", "admin"]);

export function useCorrecting(): Correcting {
  const correcting = inject(CORRECTING);
  if (!correcting) throw new Error("what corrects is provided by App.vue");
  return correcting;
}

/** @returns what App.vue provides under `key`. */
export function openCorrecting({ chosen, link, select, status, tenant, undo, words }: Session): { key: typeof CORRECTING; correcting: Correcting } {
  const role = ref<string | null>(null);
  const corrections = new Corrections({
    ask: (operation) => askGraphql(operation.query, operation.variables, tenant),
    now: () => Date.now(),
    later: (then, ms) => setTimeout(then, ms),
    never: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
    leave: (id) => chosen.sel === id && select(null),
    mergeText: (merge, keep) => words.value.t("correct.merge.text", { merge, keep }),
    undo,
    kept: new StoredSplits(browserStorage, tenant),
  });
  watch(() => link.value.name, async (name) => {
    if (name === "refused") role.value = null;
    if (name !== "live") return;
    // Without a response nothing is offered; the service checks the role in any case.
    role.value = await askService<{ role: string }>("access", tenant).then((access) => access.role, () => null);
  }, { immediate: true });
  const allowed = computed(() => role.value !== null && WRITERS.has(role.value));
  watch(allowed, (now) => !now && corrections.switchTo(false));
  const active = computed(() => allowed.value && corrections.on.value && link.value.name === "live" && status.value.db === "up");
  return { key: CORRECTING, correcting: { corrections, allowed, active } };
}
