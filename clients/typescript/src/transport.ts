import { BadInput, errorOf, MnemosceneError, Unavailable } from "./errors.js";

/** Address of a service, and how to ask it. */
export interface Connection {
  /** `MNEMOSCENE_URL`, or port 7780 of this machine by default. */
  url?: string;
  /** API key; `MNEMOSCENE_API_KEY` by default. */
  key?: string;
  /** `MNEMOSCENE_TENANT`, or that of the key by default. */
  tenant?: string;
  /** Seconds that a request may take; 30 by default. */
  timeoutS?: number;
  /** Replaces the global `fetch`. */
  fetch?: typeof fetch;
}

const DEFAULT_URL = "http://127.0.0.1:7780";
const RETRIES = 3;
const WAIT_MAX_S = 30;
// Fields whose values are enumerations of the schema, in lower case here.
const ENUMERATIONS = new Set(["kind", "role", "state", "category", "reason"]);
// JSON of the caller, which is returned as it was stored.
const VERBATIM = new Set(["value", "metadata", "raw", "body"]);

interface Limits {
  repeatable?: boolean;
  extraS?: number;
  patienceS?: number;
  signal?: AbortSignal;
}

/** Sends GraphQL documents; retries those whose repetition has no effect of its own. */
export class Transport {
  readonly #url: string;
  readonly #headers: Record<string, string>;
  readonly #timeoutS: number;
  readonly #fetch: typeof fetch;

  constructor(connection: Connection) {
    const url = (connection.url ?? environment("MNEMOSCENE_URL") ?? DEFAULT_URL).replace(/\/(graphql\/?)?$/, "");
    if (!/^https?:\/\/[^/]/.test(url)) throw new BadInput(`${url} is no address of a service`, "BAD_INPUT");
    this.#url = url;
    this.#headers = { "Content-Type": "application/json" };
    const key = connection.key ?? environment("MNEMOSCENE_API_KEY");
    const tenant = connection.tenant ?? environment("MNEMOSCENE_TENANT");
    if (key) this.#headers["Authorization"] = `Bearer ${key}`;
    if (tenant) this.#headers["Mnemoscene-Tenant"] = encodeURIComponent(tenant);
    this.#timeoutS = connection.timeoutS ?? 30;
    this.#fetch = connection.fetch ?? globalThis.fetch.bind(globalThis);
  }

  /**
   * Send a document and return the value of its only field.
   *
   * @param repeatable - sending it twice has the effect of sending it once.
   * @param extraS - seconds beyond the usual time limit.
   * @param patienceS - seconds to try again while the service is away; three tries by default.
   * @throws MnemosceneError
   */
  async ask<T>(document: string, variables: object, limits: Limits = {}): Promise<T> {
    const { repeatable = true, extraS = 0, patienceS = 0, signal } = limits;
    const body = JSON.stringify({ query: document, variables });
    let leftS = patienceS;
    for (let retry = 0; ; retry++) {
      try {
        return await this.#send<T>(body, this.#timeoutS + extraS, signal);
      } catch (error) {
        const isLast = retry >= RETRIES && leftS <= 0;
        if (!repeatable || isLast || signal?.aborted || !(error instanceof Unavailable)) throw error;
        const pauseS = Math.min(error.retryAfterS ?? 0.2 * 2 ** Math.min(retry, RETRIES), WAIT_MAX_S);
        leftS -= pauseS;
        await pause(pauseS);
      }
    }
  }

  async #send<T>(body: string, limitS: number, signal?: AbortSignal): Promise<T> {
    let response: Response;
    let text: string;
    try {
      response = await this.#fetch(`${this.#url}/graphql`, {
        method: "POST",
        headers: this.#headers,
        body,
        signal: AbortSignal.any([AbortSignal.timeout(limitS * 1000), ...(signal ? [signal] : [])]),
      });
      text = await response.text();
    } catch (error) {
      const told = error instanceof Error ? error.message : String(error);
      throw new Unavailable(`no service answers at ${this.#url}: ${told}; start it with \`mnemoscene serve\``);
    }
    const retryAfter = Number(response.headers.get("Retry-After") ?? NaN);
    const retryAfterS = Number.isFinite(retryAfter) ? retryAfter : undefined;
    let tree: any = {};
    try {
      tree = JSON.parse(text);
    } catch {
      // Reported below.
    }
    const problem = tree?.error ?? tree?.errors?.[0];
    if (problem) {
      const code = problem.extensions?.code ?? problem.code ?? "INTERNAL";
      throw errorOf(code, String(problem.message), problem.extensions?.retryAfterS ?? retryAfterS);
    }
    if (response.ok && tree?.data) return lowered(Object.values(tree.data)[0]) as T;
    const told = `${this.#url} answered ${response.status} without a GraphQL response`;
    if ([429, 502, 503, 504].includes(response.status)) throw new Unavailable(told, "UNAVAILABLE", retryAfterS);
    throw new MnemosceneError(`${told}; check that a Mnemoscene service runs at this address`);
  }
}

function lowered(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(lowered);
  if (typeof node !== "object" || node === null) return node;
  return Object.fromEntries(
    Object.entries(node).map(([name, value]) => {
      if (VERBATIM.has(name)) return [name, value];
      const isWord = ENUMERATIONS.has(name) && typeof value === "string" && /^[A-Z_]+$/.test(value);
      return [name, isWord ? value.toLowerCase() : lowered(value)];
    }),
  );
}

function pause(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000));
}

function environment(name: string): string | undefined {
  const process = (globalThis as { process?: { env?: Record<string, string | undefined> } }).process;
  return process?.env?.[name] || undefined;
}
