// @vitest-environment happy-dom
import { afterEach, describe, expect, it, vi } from "vitest";
import { createApp, nextTick, ref, shallowReactive, shallowRef } from "vue";
import { Words } from "../src/i18n/words";
import ListView from "../src/list/ListView.vue";
import type { GraphNode } from "../src/protocol/frames";
import { SESSION } from "../src/view/session";
import { aNode, anEdge } from "./builders";

afterEach(() => void vi.useRealTimers());

describe("a long list", () => {
  it("is drawn in slices, and follows the search after a moment, so that typing is not held up", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "requestAnimationFrame", "cancelAnimationFrame"] });
    const things = Array.from({ length: 400 }, (_, index) => `thing${index}`);
    const graph = { nodes: new Map(["ann", ...things].map((id) => [id, aNode(id, id === "ann" ? { kind: "User" } : {})])), edges: new Map(things.map((id) => [`to ${id}`, anEdge(`to ${id}`, "ann", id)])) };
    const [chosen, hits] = [shallowReactive({ query: "", sel: null }), shallowRef<GraphNode[]>([])];
    const session = { chosen, company: ref({ pointed: new Map() }), fresh: ref(new Set()), graph: ref(graph), hits, shown: ref(graph), types: ref(new Map()), wholes: ref(null), words: ref(new Words("en")), select: () => undefined };
    const host = document.createElement("div");
    const app = createApp(ListView, { nowMs: 0 }).provide(SESSION, session as never);
    app.mount(host);
    const count = (): number => host.querySelectorAll('[role="row"]').length - 1;
    expect(count()).toBe(150);
    await vi.advanceTimersByTimeAsync(200);
    expect(count()).toBeGreaterThan(400);
    [chosen.query, hits.value] = ["thing7", [aNode("thing7")]];
    await nextTick();
    expect(count()).toBeGreaterThan(400);
    await vi.advanceTimersByTimeAsync(200);
    expect([...host.querySelectorAll("[data-target]")].map((row) => row.getAttribute("data-target"))).toEqual(["thing7"]);
    [chosen.query, hits.value] = ["", []];
    await vi.advanceTimersByTimeAsync(121);
    expect(count()).toBeLessThan(400);
    await vi.advanceTimersByTimeAsync(200);
    expect(count()).toBeGreaterThan(400);
    app.unmount();
  }, 60_000);
});
