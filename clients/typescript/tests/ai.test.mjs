// Run by tests/integration/client/test_typescript.py, which starts a service and sets MNEMOSCENE_URL.

import assert from "node:assert/strict";
import { test } from "node:test";

import { generateText, stepCountIs, streamText, wrapLanguageModel } from "ai";
import { MockLanguageModelV4, simulateReadableStream } from "ai/test";
import { Memory } from "mnemoscene";
import { memoryMiddleware, memoryTools } from "mnemoscene/ai";

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const stop = { unified: "stop", raw: "stop" };
const fresh = () => new Memory({ userId: `ai-${crypto.randomUUID()}` });

/** A model that gives these answers, and keeps the prompts. */
function model(...answers) {
  const prompts = [];
  const mock = new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => {
      prompts.push(prompt);
      return { content: answers.shift(), finishReason: stop, usage, warnings: [] };
    },
    doStream: async ({ prompt }) => {
      prompts.push(prompt);
      const [{ text }] = answers.shift();
      const deltas = [...text].map((delta) => ({ type: "text-delta", id: "1", delta }));
      const chunks = [{ type: "text-start", id: "1" }, ...deltas, { type: "text-end", id: "1" }];
      return { stream: simulateReadableStream({ chunks: [...chunks, { type: "finish", finishReason: stop, usage }] }) };
    },
  });
  return { mock, prompts };
}

const texts = (prompt) => JSON.stringify(prompt);

test("the middleware puts what is known into the prompt, and stores both sides", async () => {
  const memory = fresh();
  const { mock, prompts } = model([{ type: "text", text: "Nice!" }], [{ type: "text", text: "By tram." }]);
  const wrapped = wrapLanguageModel({ model: mock, middleware: memoryMiddleware(memory, { sessionId: "chat" }) });
  await generateText({ model: wrapped, prompt: "I live in Lisbon and love trams." });
  await generateText({ model: wrapped, instructions: "Be brief.", prompt: "How do I get around in Lisbon?" });
  assert.match(texts(prompts[1]), /I live in Lisbon and love trams/);
  assert.deepEqual(prompts[1].map((message) => message.role), ["system", "system", "user"]);
  const hits = await memory.recall("What did I say about trams?", { kinds: ["message"] });
  assert.ok(hits.some((hit) => hit.text === "By tram." && hit.role === "assistant"));
});

test("a streamed answer is stored when it has ended", async () => {
  const memory = fresh();
  const { mock } = model([{ type: "text", text: "The museum opens at nine." }]);
  const wrapped = wrapLanguageModel({ model: mock, middleware: memoryMiddleware(memory) });
  const { textStream } = streamText({ model: wrapped, prompt: "When does the museum open?" });
  let text = "";
  for await (const delta of textStream) text += delta;
  assert.equal(text, "The museum opens at nine.");
  assert.ok((await memory.recall("museum", { kinds: ["message"] })).some((hit) => hit.text === text));
});

test("a memory that does not answer changes nothing", async () => {
  const memory = new Memory({ userId: "a", url: "http://127.0.0.1:9", fetch: () => Promise.reject(new Error("away")) });
  const errors = [];
  const { mock, prompts } = model([{ type: "text", text: "Hello." }]);
  const middleware = memoryMiddleware(memory, { onError: (error) => errors.push(error) });
  const { text } = await generateText({ model: wrapLanguageModel({ model: mock, middleware }), prompt: "Hi" });
  assert.equal(text, "Hello.");
  assert.equal(prompts[0].length, 1);
  assert.equal(errors.length, 2);
});

test("a model uses the tools", async () => {
  const memory = fresh();
  await memory.remember("My sister Mia lives in Porto.");
  const call = (toolName, input) => [{ type: "tool-call", toolCallId: "1", toolName, input: JSON.stringify(input) }];
  const { mock, prompts } = model(
    call("recall", { question: "Where does Mia live?" }),
    call("remember", { text: "I will visit Mia in June." }),
    [{ type: "text", text: "In Porto." }],
  );
  const tools = memoryTools(memory);
  await generateText({ model: mock, tools, stopWhen: stepCountIs(5), prompt: "Where does Mia live?" });
  assert.match(texts(prompts[1]), /Porto/);
  assert.ok((await memory.recall("When do I visit Mia?")).some((hit) => hit.text.includes("June")));
});
