// @vitest-environment happy-dom
import { expect, it } from "vitest";
import { createApp, ref, shallowReactive } from "vue";
import { Words } from "../src/i18n/words";
import { groupColour } from "../src/map/palette";
import FilterPanel from "../src/shell/FilterPanel.vue";
import { ABOUT, PAST } from "../src/view/filters";
import { SESSION } from "../src/view/session";

it("lists what the memory has although none of it is loaded, and topics in the colours of their sectors", () => {
  const loaded = new Map([["Entity", 2], ["PREFERS", 2], [`${ABOUT}likes`, 2], [PAST, 1]]);
  const whole: Record<string, number> = { Scene: 120, MENTIONED: 7, [`${ABOUT}people`]: 3 };
  const chosen = shallowReactive({ hidden: new Set(), veiled: new Set(), confidence: 0, ego: null, theme: "light" });
  // A number that is not known whole is a text.
  const amount = (name: string): number | string => whole[name] ?? `${loaded.get(name) ?? 0}+`;
  const empty = ref({ nodes: new Map(), edges: new Map() });
  const session = { amount, chosen, counts: ref(loaded), dated: empty, graph: empty, hello: ref(null), types: ref(new Map()), words: ref(new Words("en")), change: () => undefined, showAll: () => undefined, showOnly: () => undefined, toggle: () => undefined };
  const host = document.createElement("div");
  const app = createApp(FilterPanel).provide(SESSION, session as never);
  app.mount(host);
  const rows = [...host.querySelectorAll<HTMLElement>("[data-filter]")].map((row) => [row.dataset.filter, row.querySelector(".n")?.textContent]);
  expect(rows).toEqual([["Entity", "2+"], ["Scene", "120"], ["PREFERS", "2+"], ["MENTIONED", "7"], [PAST, "1+"], [`${ABOUT}likes`, "2+"], [`${ABOUT}people`, "3"]]);
  const swatches = [...host.querySelectorAll<HTMLElement>(".line .box")].map((box) => box.style.color);
  expect(swatches).toEqual(["likes", "people"].map((group) => groupColour(group, "light")));
  app.unmount();
});
