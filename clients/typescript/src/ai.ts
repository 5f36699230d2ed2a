/** Memory for the AI SDK: a middleware that remembers by itself, and tools for models that decide themselves. */

import { jsonSchema, type LanguageModelMiddleware, tool, type ToolSet } from "ai";

import type { Memory } from "./index.js";
import type { Said } from "./types.js";

type Options = Parameters<NonNullable<LanguageModelMiddleware["transformParams"]>>[0]["params"];
type Prompt = Options["prompt"];

/**
 * Return a middleware that puts the memory's context for the user's message into the prompt, and stores the message and
 * the answer. A memory that does not answer changes nothing: the model is asked without it.
 *
 * @param options - `maxTokens`: of the context, 500 by default; `remember`: false stores nothing; `onError`: called with
 *   errors of the memory.
 * @example
 * const model = wrapLanguageModel({ model: openai("gpt-5-mini"), middleware: memoryMiddleware(memory) });
 */
export function memoryMiddleware(
  memory: Memory,
  options: { maxTokens?: number; sessionId?: string; remember?: boolean; onError?: (error: unknown) => void } = {},
): LanguageModelMiddleware {
  const { maxTokens = 500, sessionId, remember = true, onError = () => {} } = options;

  async function store(prompt: Prompt, answer: string, isLast: boolean): Promise<void> {
    // While tools are called, the model is asked several times about one message.
    const said: Said[] = [];
    const question = prompt.at(-1)?.role === "user" ? lastQuestion(prompt) : "";
    if (question) said.push(["user", question]);
    if (answer && isLast) said.push(["assistant", answer]);
    if (!remember || !said.length) return;
    await memory.remember(said, { sessionId }).catch(onError);
  }

  return {
    specificationVersion: "v4",
    async transformParams({ params }) {
      const question = lastQuestion(params.prompt);
      if (!question) return params;
      try {
        const { text } = await memory.context(question, { maxTokens, sessionId });
        const systems = params.prompt.filter((message) => message.role === "system").length;
        return { ...params, prompt: params.prompt.toSpliced(systems, 0, { role: "system", content: text }) };
      } catch (error) {
        onError(error);
        return params;
      }
    },
    async wrapGenerate({ doGenerate, params }) {
      const result = await doGenerate();
      const answer = result.content.map((part) => (part.type === "text" ? part.text : "")).join("");
      await store(params.prompt, answer, !result.content.some((part) => part.type === "tool-call"));
      return result;
    },
    async wrapStream({ doStream, params }) {
      const { stream, ...rest } = await doStream();
      let answer = "";
      let isLast = true;
      type Part = typeof stream extends ReadableStream<infer P> ? P : never;
      const watched = new TransformStream<Part, Part>({
        transform(part, controller) {
          if (part.type === "text-delta") answer += part.delta;
          if (part.type === "tool-call") isLast = false;
          controller.enqueue(part);
        },
        flush: () => store(params.prompt, answer, isLast),
      });
      return { ...rest, stream: stream.pipeThrough(watched) };
    },
  };
}

/**
 * Return tools with which a model asks the memory and stores in it.
 *
 * @example
 * await generateText({ model, tools: memoryTools(memory), prompt });
 */
export function memoryTools(memory: Memory, options: { sessionId?: string } = {}): ToolSet {
  return {
    recall: tool({
      description: "Search what is known about the user from earlier conversations.",
      inputSchema: jsonSchema<{ question: string }>({
        type: "object",
        properties: { question: { type: "string", description: "A whole question." } },
        required: ["question"],
        additionalProperties: false,
      }),
      execute: async ({ question }) => {
        const hits = await memory.recall(question, { limit: 5, ...options });
        return hits.map(({ text, saidAt, overtakenBy }) => ({ text, saidAt, outdated: overtakenBy !== null }));
      },
    }),
    remember: tool({
      description: "Store what the user said, or what was agreed, for later conversations.",
      inputSchema: jsonSchema<{ text: string }>({
        type: "object",
        properties: { text: { type: "string", description: "In the user's own words." } },
        required: ["text"],
        additionalProperties: false,
      }),
      execute: async ({ text }) => ({ stored: (await memory.remember(text, options)).stored }),
    }),
  };
}

function lastQuestion(prompt: Prompt): string {
  const message = prompt.findLast((one) => one.role === "user");
  if (message?.role !== "user") return "";
  return message.content.map((part) => (part.type === "text" ? part.text : "")).join("\n").trim();
}
