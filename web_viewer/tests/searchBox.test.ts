// @vitest-environment happy-dom
import { describe, expect, it, vi } from "vitest";
import { createApp, nextTick, ref, shallowReactive, shallowRef } from "vue";
import { Words } from "../src/i18n/words";
import type { GraphNode } from "../src/protocol/frames";
import SearchBox from "../src/shell/SearchBox.vue";
import { markedRuns, searchFacts } from "../src/view/search";
import { SESSION } from "../src/view/session";
import { aNode, anEdge } from "./builders";

vi.mock("../src/view/search", async (load) => {
  const all = await load<typeof import("../src/view/search")>();
  return { ...all, searchFacts: vi.fn(all.searchFacts) };
});

describe("the list of hits", () => {
  it("reads the facts once for each query, not again when the service answers", async () => {
    const graph = ref({ nodes: new Map([["ann", aNode("ann")], ["tea", aNode("tea")]]), edges: new Map([["likes", anEdge("likes", "ann", "tea")]]) });
    const farHits = shallowRef<GraphNode[]>([]);
    const explore = { farHits, meaning: ref({ query: "", users: [], asked: 0 }), meant: shallowRef([]), said: shallowRef([]), recalling: ref(false), searchFailure: ref(null), searching: ref(false) };
    const chosen = shallowReactive({ query: "", user: null });
    const session = { chosen, explore, graph, hits: shallowRef([]), owners: ref(new Map()), shown: graph, types: ref(new Map()), words: ref(new Words("en")) };
    const host = document.createElement("div");
    createApp(SearchBox).provide(SESSION, session as never).mount(host);
    chosen.query = "tea";
    await nextTick();
    const read = vi.mocked(searchFacts).mock.calls.length;
    expect(host.querySelectorAll('[data-group="facts"]').length).toBe(1);
    farHits.value = [aNode("teapot", { entity_type: "place" })];
    await nextTick();
    const named = host.querySelectorAll('[data-group="named"]');
    expect([...named].map((row) => row.querySelector("svg")?.getAttribute("data-type"))).toEqual(["place"]);
    expect(vi.mocked(searchFacts).mock.calls.length).toBe(read);
  });
});

describe("marked words", () => {
  it.each([
    ["We rode the Carousel twice", "carous", ["We rode the ", "Carousel", " twice"]],
    ["A bazooka in the zoo", "zoo", ["A bazooka in the ", "zoo", ""]],
    ["我们在动物园看了长颈鹿", "动物园", ["我们在", "动物园", "看了长颈鹿"]],
    ["Where she went with the boat", "where did she go with the boat", ["", "Where", " she went ", "with", " the ", "boat", ""]],
    ["a (b) [c]", "(b)", ["a (", "b", ") [c]"]],
    ["text", " ?! ", ["text"]],
  ])("of %j by %j", (text, query, runs) => expect(markedRuns(text, query)).toEqual(runs));
});
