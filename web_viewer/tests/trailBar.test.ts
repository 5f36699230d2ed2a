// @vitest-environment happy-dom
import { afterEach, describe, expect, it, vi } from "vitest";
import { createApp, nextTick, ref, shallowRef } from "vue";
import { Words } from "../src/i18n/words";
import TrailBar from "../src/shell/TrailBar.vue";
import { SESSION } from "../src/view/session";

afterEach(() => void vi.useRealTimers());

describe("the bar above the map", () => {
  it("tells of a request only if it is slow, since the map is drawn again for the room it takes", async () => {
    vi.useFakeTimers();
    const [busy, host] = [ref(0), document.createElement("div")];
    const explore = { busy, failure: ref(null), pathFrom: ref(null), trail: shallowRef(null) };
    const session = { explore, chosen: { ego: null }, graph: ref({ nodes: new Map(), edges: new Map() }), revealed: shallowRef(null), words: ref(new Words("en")) };
    createApp(TrailBar).provide(SESSION, session as never).mount(host);
    const seen: boolean[] = [];
    for (const [requests, ms] of [[1, 300], [0, 300], [1, 599], [1, 2], [0, 0]] as const) {
      busy.value = requests;
      await nextTick();
      await vi.advanceTimersByTimeAsync(ms);
      seen.push(host.querySelector("[data-trail]") !== null);
    }
    expect(seen).toEqual([false, false, false, true, false]);
  });
});
