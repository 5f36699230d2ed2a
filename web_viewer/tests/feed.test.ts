// @vitest-environment happy-dom
import { afterEach, describe, expect, it, vi } from "vitest";
import { createApp, ref, shallowReactive } from "vue";
import { likenessesOf } from "../src/correct/suggestions";
import FeedPanel from "../src/feed/FeedPanel.vue";
import { byDay, byConversation, feedLines } from "../src/feed/lines";
import { Words } from "../src/i18n/words";
import type { ChangeLine } from "../src/protocol/generated";
import { SESSION } from "../src/view/session";
import { aNode, anEdge } from "./builders";

const WORDS = new Words("en");
const [LATER, EARLIER] = ["2026-03-02T12:00:00Z", "2026-03-01T09:00:00Z"];

function change(seq: number, at: string, more: Partial<ChangeLine>): ChangeLine {
  return { seq, at, op: "edge+", element_id: more.node?.id ?? more.edge?.id ?? "", reason: "", node: null, edge: null, scene: null, ...more };
}

describe("what changed", () => {
  const changes = [
    change(5, LATER, { scene: "s2", edge: anEdge("f2", "u", "tea", { statement: "Ana likes tea.", user_id: "ana" }) }),
    change(4, LATER, { node: aNode("s2", { kind: "Scene", label: "About tea", user_id: "ana" }) }),
    change(3, EARLIER, { scene: "s1", edge: anEdge("f1", "v", "rome", { statement: "Bob lives in Rome.", user_id: "bob" }) }),
    change(2, EARLIER, { scene: "s1", node: aNode("rome", { label: "Rome", user_id: "bob" }) }),
    change(1, EARLIER, { node: aNode("s1", { kind: "Scene", label: "About Rome", user_id: "bob" }) }),
  ];
  const labels = { s1: "About Rome", s2: "About tea" };
  const told = (lines: ChangeLine[]) => byConversation(feedLines({ changes: lines, labels }, WORDS), WORDS);
  const conversations = told(changes);

  it("is told by conversation, each with its time and author", () => {
    expect(conversations.map((conversation) => [conversation.scene?.label, conversation.user, conversation.at, conversation.lines.map((line) => line.text)])).toEqual([
      ["About tea", "ana", LATER, ["Ana likes tea."]],
      ["About Rome", "bob", EARLIER, ["Bob lives in Rome.", "Rome"]],
    ]);
  });

  it("puts the facts of one commit under the conversations that tell them", () => {
    const edge = (id: string, statement: string) => anEdge(id, "u", id, { statement, user_id: "ana" });
    const [tea, rome] = told([
      change(5, LATER, { scene: "s2", edge: edge("f5", "Ana likes tea.") }),
      change(4, LATER, { scene: "s1", edge: edge("f4", "Ana lives in Rome.") }),
      change(3, LATER, { scene: "s2", edge: edge("f3", "Ana drinks it black.") }),
      change(2, LATER, { node: aNode("s2", { kind: "Scene", label: "About tea", user_id: "ana" }) }),
      change(1, LATER, { node: aNode("s1", { kind: "Scene", label: "About Rome", user_id: "ana" }) }),
    ]);
    expect(tea).toMatchObject({ scene: { id: "s2", label: "About tea" }, lines: [{ id: "f5" }, { id: "f3" }] });
    expect(rome).toMatchObject({ scene: { id: "s1", label: "About Rome" }, lines: [{ id: "f4" }] });
  });

  it("says once what was written again in one conversation", () => {
    const again = change(0, EARLIER, { scene: "s1", edge: anEdge("f0", "v", "r", { statement: "Bob lives in Rome.", user_id: "bob" }) });
    const [, bob] = told([...changes, again]);
    expect(bob?.lines.map((line) => line.id)).toEqual(["f1", "rome"]);
  });

  it("keeps a correction apart, which belongs to no scene", () => {
    const alone = told([change(9, "2026-03-03T00:00:00Z", { edge: anEdge("f2", "u", "tea", { user_id: "ana" }) }), ...changes]);
    expect(alone[0]).toMatchObject({ scene: null, user: "ana" });
    expect(byDay(alone, WORDS).map((day) => day.conversations.length)).toEqual([1, 1, 1].slice(0, byDay(alone, WORDS).length));
  });
});

describe("the panel of what changed", () => {
  afterEach(() => vi.unstubAllGlobals());

  it("tells that it is loading, not that nothing changed, until the service answers", async () => {
    vi.stubGlobal("fetch", () => new Promise(() => undefined));
    const session = { chosen: shallowReactive({ user: null, theme: "light" }), graph: ref({ seq: 1 }), owners: ref(new Map()), tenant: "t", types: ref(new Map()), words: ref(WORDS) };
    const host = document.createElement("div");
    const app = createApp(FeedPanel).provide(SESSION, session as never);
    app.mount(host);
    expect(host.querySelector(".body")?.textContent).toBe(WORDS.t("explore.busy"));
    app.unmount();
  });

  it("shows a thing by the icon of its type, as the map does, and one that the page lacks by the type that the change tells", async () => {
    const things = [aNode("oliver", { label: "Oliver" }), aNode("rome", { label: "Rome", entity_type: "place" }), aNode("kite", { label: "kite" })];
    const changes = things.map((node, index) => change(9 - index, LATER, { node }));
    vi.stubGlobal("fetch", () => Promise.resolve(Response.json({ changes, labels: {}, more: false })));
    const session = { chosen: shallowReactive({ user: null, theme: "light" }), graph: ref({ seq: 1 }), owners: ref(new Map()), tenant: "t", types: ref(new Map([["oliver", "person"]])), words: ref(WORDS) };
    const host = document.createElement("div");
    const app = createApp(FeedPanel).provide(SESSION, session as never);
    app.mount(host);
    const types = () => [...host.querySelectorAll("li button")].map((row) => [row.querySelector(".what")?.firstChild?.textContent, row.querySelector("svg")?.getAttribute("data-type")]);
    await vi.waitUntil(() => types().length === 3);
    expect(types()).toEqual([["Oliver", "person"], ["Rome", "place"], ["kite", "thing"]]);
    app.unmount();
  });
});

describe("suggested merges", () => {
  const pair = (firstId: string, secondId: string, score: number) => ({ firstId, firstName: firstId.toUpperCase(), secondId, secondName: secondId.toUpperCase(), score });

  it("of an entity name the other one, most likely first", () => {
    const found = likenessesOf("st", [pair("st", "x", 0.2), pair("st. mary's", "st", 0.9), pair("a", "b", 1)]);
    expect(found.map((one) => one.name)).toEqual(["ST. MARY'S", "X"]);
  });
});
