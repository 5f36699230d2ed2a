// Run by tests/integration/client/test_typescript.py, which starts a service and sets MNEMOSCENE_URL.

import assert from "node:assert/strict";
import { test } from "node:test";

import { BadInput, Conflict, Memory, NotFound, Unavailable } from "mnemoscene";

const fresh = () => `ts-${crypto.randomUUID()}`;

test("what was said is searchable at once, and read into facts", async () => {
  const memory = new Memory({ userId: fresh() });
  const receipt = await memory.remember("I moved to Lisbon in May.", { id: "m1", tags: ["home"] });
  assert.equal(receipt.stored, 1);
  const again = await memory.remember("I moved to Lisbon in May.", { id: "m1" });
  assert.deepEqual([again.stored, again.repeated], [0, 1]);

  const [hit] = await memory.recall("When did I move?", { limit: 3, tags: ["home"] });
  assert.match(hit.text, /Lisbon/);
  assert.ok(["message", "scene", "fact"].includes(hit.kind));
  assert.match((await memory.context("When did I move to Lisbon?", { maxTokens: 300 })).text, /Lisbon/);

  assert.equal(await memory.wait({ timeoutS: 120 }), true);
  const facts = await memory.facts({ limit: 5, text: "lisbon" });
  assert.deepEqual(await memory.facts({ where: { project: "Beta" } }), []);
  const home = facts.find((fact) => fact.statement.includes("Lisbon"));
  assert.equal(home.kind, "fact");
  assert.equal((await memory.fact(home.id)).holds, true);
  assert.ok((await memory.history(home.id)).length >= 1);
  assert.ok((await memory.profile()).some((part) => part.items.length));
  assert.deepEqual((await memory.sessions()).map((session) => session.sessionId), ["default"]);
});

test("a conversation is pairs or messages, in two languages", async () => {
  const memory = new Memory({ userId: fresh() });
  const said = [["user", "我对花生过敏。"], ["assistant", "记住了。"], { text: "Trams are fun.", speaker: "Ana" }];
  assert.equal((await memory.remember(said, { sessionId: "monday" })).stored, 3);
  assert.equal((await memory.remember(["user", "One pair is one message."])).stored, 1);
  assert.equal((await memory.remember(["Two texts", "are two messages."])).stored, 2);
  assert.match((await memory.recall("我对什么过敏？"))[0].text, /花生/);
});

test("messages are read back whole, and replaced", async () => {
  const memory = new Memory({ userId: fresh() });
  const raw = { type: "function_call", arguments: "{}" };
  const metadata = { project: "Alpha", n: 2, tags: ["a"] };
  await memory.remember({ text: "I love chess.", id: "m1", metadata, raw }, { extract: false, ttlS: 3600 });
  await memory.remember(Array.from({ length: 130 }, (_, at) => `message ${at}`), { sessionId: "long", extract: false });
  const texts = (await memory.messages({ sessionId: "long" })).map((message) => message.text);
  assert.deepEqual(texts, Array.from({ length: 130 }, (_, at) => `message ${at}`));
  const stored = await memory.message("m1");
  assert.deepEqual([stored.text, stored.raw, stored.metadata, stored.role], ["I love chess.", raw, metadata, "user"]);
  const changed = await memory.setMessage("m1", { text: "I love go.", ifVersion: stored.version });
  assert.equal(changed.text, "I love go.");
  assert.equal(changed.expiresAt, stored.expiresAt);
  const aged = Date.parse(stored.expiresAt) - Date.parse(stored.createdAt);
  assert.ok(Math.abs(aged - 3_600_000) < 1_000, `${aged}`);
  const later = await memory.setMessage("m1", { expiresAt: "2090-01-01T00:00:00Z" });
  assert.equal(Date.parse(later.expiresAt), Date.UTC(2090, 0, 1));
  assert.equal((await memory.setMessage("m1", { neverExpires: true })).expiresAt, null);
  for (const [project, found] of [["Alpha", true], ["Beta", false]]) {
    assert.equal((await memory.recall("go", { where: { project } })).length > 0, found);
    assert.equal((await memory.context("go", { where: { project } })).text.includes("I love go."), found);
  }
  await assert.rejects(memory.setMessage("m1", { text: "x", ifVersion: stored.version }), Conflict);
  assert.equal(await memory.message("m2"), null);
});

test("what is forgotten is gone", async () => {
  const user = fresh();
  const memory = new Memory({ userId: user });
  const { messageIds } = await memory.remember("My locker has the number 4711.");
  assert.equal((await memory.forget({ message: messageIds[0] })).messages, 1);
  assert.deepEqual(await memory.recall("locker number"), []);
  await memory.remember("I like tea.", { sessionId: "s" });
  await memory.forget({ session: "s" });
  assert.deepEqual(await memory.sessions(), []);
  await memory.remember("I like coffee.");
  assert.throws(() => memory.forget({ user, confirm: "no" }), BadInput);
  await memory.forget({ user, confirm: user });
  assert.deepEqual(await memory.recall("coffee"), []);
});

test("items are stored by namespace and key, and found by filter and text", async () => {
  const { items } = new Memory({ userId: fresh() });
  const first = await items.put(["notes", "tea"], "uji", { text: "green tea from Uji", kind: "DRINK", n: 2 });
  assert.deepEqual(first.value, { text: "green tea from Uji", kind: "DRINK", n: 2 });
  await items.put(["notes", "bike"], "b", { text: "a bicycle", kind: "THING", n: 7 });
  assert.deepEqual((await items.get(["notes", "tea"], "uji")).version, 1);
  assert.deepEqual((await items.search(["notes"], { where: { n: { gt: 5 } } })).map((item) => item.key), ["b"]);
  assert.equal((await items.search(["notes"], { query: "green tea" }))[0].key, "uji");
  assert.deepEqual(await items.namespaces(), [["notes", "bike"], ["notes", "tea"]]);
  await assert.rejects(items.put(["notes", "tea"], "uji", { n: 1 }, { ifVersion: 7 }), Conflict);
  await items.delete(["notes", "tea"], "uji");
  assert.equal(await items.get(["notes", "tea"], "uji"), null);
});

test("another user's memory is another memory", async () => {
  const [mine, other] = [new Memory({ userId: fresh() }), new Memory({ userId: fresh() })];
  await mine.remember("My cat is called Otto.");
  await mine.items.put(["n"], "k", 1);
  assert.deepEqual(await other.recall("cat"), []);
  assert.equal(await other.items.get(["n"], "k"), null);
});

test("changes arrive while they are stored", async () => {
  const memory = new Memory({ userId: fresh() });
  const stop = new AbortController();
  const changes = memory.changes({ signal: stop.signal });
  const next = changes.next();
  await new Promise((resolve) => setTimeout(resolve, 500));
  await memory.remember("I play chess.");
  const { value } = await next;
  assert.ok(value.op && value.elementId);
  stop.abort();
  await changes.return();
});

test("errors have classes and codes", async () => {
  const memory = new Memory({ userId: fresh() });
  await assert.rejects(memory.fact("no-such-fact"), (error) => error instanceof NotFound && error.code === "NOT_FOUND");
  await assert.rejects(memory.recall("tea", { limit: 1_000 }), BadInput);
  assert.throws(() => new Memory({ userId: "a", url: "nonsense" }), BadInput);
  assert.throws(() => new Memory({}), BadInput);
  const nobody = new Memory({ userId: "a", url: "http://127.0.0.1:9" });
  await assert.rejects(nobody.update("id", { statement: "x" }), Unavailable);
});
