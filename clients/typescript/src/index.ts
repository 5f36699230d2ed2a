import { DOCUMENTS } from "./documents.js";
import { BadInput, MnemosceneError } from "./errors.js";
import { type Connection, Transport } from "./transport.js";
import type * as T from "./types.js";

export * from "./errors.js";
export type { Connection } from "./transport.js";
export type * from "./types.js";

const ROLES = new Set<unknown>(["user", "assistant", "system", "tool", "event"]);
const DEFAULT_SESSION = "default";
const MESSAGES_PER_CALL = 1_000;
const PAGE = 100;
const WAIT_PER_CALL_S = 20;
// `changes` waits so long for a service that went away, as during its restart.
const RESTART_MAX_S = 120;

/** Whose memory it is: that of a user, or without `userId` an agent's own. */
export interface Owner {
  userId?: string;
  agentId?: string;
}

export interface Times {
  /** What was true then. */
  validAt?: T.Time;
  /** What the memory knew then. */
  asOf?: T.Time;
}

interface Page<N> {
  nodes: N[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

/**
 * The memory of one user, or of an agent, at a running service.
 *
 * @example
 * const memory = new Memory({ userId: "ana" });
 * await memory.remember("I moved to Lisbon in May.");
 * console.log((await memory.recall("Where does Ana live?"))[0]?.text);
 */
export class Memory {
  readonly items: Items;
  readonly #transport: Transport;
  readonly #asker: Owner;
  readonly #agentId: string | undefined;
  readonly #owner: string;

  constructor(options: Connection & Owner) {
    const { userId, agentId } = options;
    if (!userId && !agentId) throw new BadInput("name a userId, or an agentId alone", "BAD_INPUT");
    this.#transport = new Transport(options);
    this.#asker = userId ? { userId } : { agentId };
    this.#agentId = agentId;
    this.#owner = userId ?? `agent:${agentId}`;
    this.items = new Items(this.#transport, userId);
  }

  /**
   * Store what was said: a text of the user, or messages. It is durable and searchable at once; facts follow.
   *
   * @example
   * await memory.remember([["user", "I love trams."], ["assistant", "Noted."]], { sessionId: "monday" });
   */
  async remember(
    said: T.Said | readonly T.Said[],
    options: {
      sessionId?: string;
      id?: string;
      tags?: string[];
      /** Seconds after which the messages are forgotten, with everything that only they prove. */
      ttlS?: number;
      facts?: T.NewFact[];
      userName?: string;
      /** False stores the messages without ever reading facts from them. */
      extract?: boolean;
    } = {},
  ): Promise<T.RememberReceipt> {
    const { sessionId = DEFAULT_SESSION, id, tags = [], ttlS, facts = [], userName, extract = true } = options;
    const messages = many(said).map((message) => asMessage(message, tags, ttlS));
    if (id !== undefined) {
      if (messages.length !== 1) throw new BadInput("id names a single message", "BAD_INPUT");
      messages[0]!.id = id;
    }
    const step = facts.length ? Math.max(messages.length, 1) : MESSAGES_PER_CALL;
    const receipts: T.RememberReceipt[] = [];
    for (let start = 0; start === 0 || start < messages.length; start += step) {
      const input = {
        ...this.#asker,
        agentId: this.#agentId,
        sessionId,
        userName,
        extract,
        facts: facts.map((fact) => ({ ...fact, kind: fact.kind?.toUpperCase() })),
        messages: messages.slice(start, start + step),
        requestId: crypto.randomUUID(),
      };
      receipts.push(await this.#transport.ask<T.RememberReceipt>(DOCUMENTS.remember, { input }));
    }
    return receipts.reduce((all, one) => ({
      ...all,
      stored: all.stored + one.stored,
      repeated: all.repeated + one.repeated,
      messageIds: [...all.messageIds, ...one.messageIds],
      uris: [...all.uris, ...one.uris],
      notes: [...all.notes, ...one.notes],
      spooled: all.spooled || one.spooled,
    }));
  }

  /**
   * Return what answers a question, best first.
   *
   * @example
   * const [hit] = await memory.recall("Where does she live?", { limit: 3, kinds: ["fact", "message"] });
   */
  async recall(
    query: string,
    options: Times & {
      limit?: number;
      kinds?: T.HitKind[];
      tags?: string[];
      /** A condition on the metadata of the messages, also of those that prove facts and scenes. */
      where?: T.Where;
      inSession?: string;
      start?: T.Time;
      end?: T.Time;
      minScore?: number;
      /** Number of messages that come with each hit; 3 by default. */
      evidence?: number;
      /** The current session, in which pronouns are resolved. */
      sessionId?: string;
    } = {},
  ): Promise<T.RecallHit[]> {
    const { kinds, tags, inSession, minScore, ...rest } = options;
    const answer = await this.#transport.ask<{ hits: T.RecallHit[] }>(DOCUMENTS.recall, {
      evidence: 3,
      ...this.#asker,
      ...rest,
      query,
      kinds: kinds?.map((kind) => kind.toUpperCase()),
      filter: tags || inSession || minScore !== undefined ? { tags, inSession, minScore } : undefined,
    });
    return answer.hits;
  }

  /**
   * Return what an agent should know before it answers, as text for its prompt.
   *
   * @example
   * const system = `You are a helpful assistant.\n\n${(await memory.context("Where shall we meet?")).text}`;
   */
  context(query: string, options: Times & { maxTokens?: number; sessionId?: string; where?: T.Where } = {}): Promise<T.Context> {
    return this.#transport.ask(DOCUMENTS.context, { ...this.#asker, ...options, query });
  }

  /**
   * Wait until everything stored so far is read into facts; false if that takes longer than `timeoutS`, 60 by default.
   *
   * @example
   * await memory.remember("I moved to Lisbon in May.");
   * if (await memory.wait()) console.log(await memory.facts());
   */
  async wait(options: { sessionId?: string; timeoutS?: number } = {}): Promise<boolean> {
    const { sessionId, timeoutS = 60 } = options;
    for (let leftS = timeoutS; ; leftS -= WAIT_PER_CALL_S) {
      const waitS = Math.max(0, Math.min(leftS, WAIT_PER_CALL_S));
      const variables = { userId: this.#owner, sessionId, waitS };
      if (await this.#transport.ask<boolean>(DOCUMENTS.isRead, variables, { extraS: waitS })) return true;
      if (leftS <= WAIT_PER_CALL_S) return false;
    }
  }

  /** Return facts, latest `validAt` first; all by default. `text`: only what contains it. */
  facts(
    options: Times & {
      sessionId?: string;
      tags?: string[];
      category?: T.Category;
      text?: string;
      /** A condition on the metadata of the messages that are evidence. */
      where?: T.Where;
      includeClosed?: boolean;
      limit?: number;
    } = {},
  ): Promise<T.MemoryFact[]> {
    const { limit, includeClosed = false, ...rest } = options;
    const category = rest.category?.toUpperCase();
    return this.#all(DOCUMENTS.facts, { userId: this.#owner, includeClosed, ...rest, category }, limit);
  }

  /** Return messages as they are stored, oldest first; all by default. */
  messages(
    options: { sessionId?: string; tags?: string[]; newestFirst?: boolean; limit?: number } = {},
  ): Promise<T.StoredMessage[]> {
    const { limit, ...rest } = options;
    return this.#all(DOCUMENTS.messages, { userId: this.#owner, ...rest }, limit);
  }

  /** Return a message by your id, its own, or its URI; null if there is none. */
  message(id: string, options: { sessionId?: string } = {}): Promise<T.StoredMessage | null> {
    const { sessionId = DEFAULT_SESSION } = options;
    return this.#transport.ask(DOCUMENTS.message, { userId: this.#owner, sessionId, id });
  }

  /**
   * Replace the content of a message; what was read from the old text alone goes, and the new text is read.
   *
   * @throws Conflict if `ifVersion` is not the version that is stored.
   */
  setMessage(
    id: string,
    change: {
      text?: string;
      /** All properties; those stored before are not kept. */
      metadata?: T.NewMessage["metadata"];
      raw?: T.Json;
      tags?: string[];
      expiresAt?: T.Time;
      ttlS?: number;
      /** Removes the expiry. */
      neverExpires?: boolean;
      sessionId?: string;
      ifVersion?: number;
    },
  ): Promise<T.StoredMessage> {
    const variables = { userId: this.#owner, sessionId: DEFAULT_SESSION, id, ...change };
    return this.#transport.ask(DOCUMENTS.setMessage, variables, { repeatable: false });
  }

  /** Return the users whose id begins with `prefix`; all by default. The key must be valid for all users. */
  users(options: { prefix?: string; limit?: number } = {}): Promise<T.ListedUser[]> {
    const { limit, prefix = "" } = options;
    return this.#all(DOCUMENTS.users, { prefix }, limit);
  }

  /**
   * Return whether a fact is valid and, if not, what closed it.
   *
   * @throws NotFound
   */
  fact(id: string, options: Times = {}): Promise<T.FactStatus> {
    return this.#transport.ask(DOCUMENTS.fact, { id, ...options });
  }

  /** Return a fact with its predecessors and successors, oldest first. */
  history(id: string, options: { asOf?: T.Time } = {}): Promise<T.FactVersion[]> {
    return this.#transport.ask(DOCUMENTS.history, { id, ...options });
  }

  /** Correct a fact; what it said before is kept in its history. A new meaning needs a new `statement`. */
  update(
    id: string,
    change: {
      statement?: string;
      object?: string;
      predicate?: string;
      relation?: string;
      validAt?: T.Time;
      invalidAt?: T.Time;
      /** Only if this version is stored. */
      ifVersion?: number;
    },
  ): Promise<T.Correction> {
    return this.#transport.ask(DOCUMENTS.update, { id, ...change }, { repeatable: false });
  }

  /** Return the most important facts by category. */
  profile(options: Times & { category?: T.Category } = {}): Promise<T.ProfilePart[]> {
    const category = options.category?.toUpperCase();
    return this.#transport.ask(DOCUMENTS.profile, { ...this.#asker, ...options, category });
  }

  /** Return the sessions, latest first; all by default. */
  sessions(options: { limit?: number } = {}): Promise<T.Session[]> {
    return this.#all(DOCUMENTS.sessions, { userId: this.#owner }, options.limit);
  }

  /**
   * Delete one message, fact, session, or the whole user, with everything derived from it. A user is named twice,
   * because that cannot be undone.
   *
   * @example
   * await memory.forget({ user: "ana", confirm: "ana" });
   */
  forget(
    named: { message: string } | { fact: string } | { session: string } | { user: string; confirm: string },
  ): Promise<T.ForgetReceipt> {
    const once = { repeatable: false };
    if ("message" in named) return this.#transport.ask(DOCUMENTS.forgetMessage, { id: named.message }, once);
    if ("fact" in named) return this.#transport.ask(DOCUMENTS.forgetFact, { id: named.fact }, once);
    const userId = this.#owner;
    if ("session" in named) {
      return this.#transport.ask(DOCUMENTS.forgetSession, { userId, sessionId: named.session }, once);
    }
    if (named.user !== userId || named.confirm !== userId) {
      throw new BadInput(`to delete everything of this user, pass its id ${userId} as user and confirm`, "BAD_INPUT");
    }
    return this.#transport.ask(DOCUMENTS.forgetUser, { userId }, once);
  }

  /**
   * Yield changes of this memory as they are stored, from now on or after `since`.
   *
   * @throws MnemosceneError with the code `MISSED` if changes were missed, and what you hold must be read again.
   * @example
   * for await (const change of memory.changes({ signal })) console.log(change.op, change.reason);
   */
  async *changes(options: { since?: number; signal?: AbortSignal } = {}): AsyncGenerator<T.GraphChange> {
    const { since, signal } = options;
    type Changes = Page<T.GraphChange> & { epoch: string; head: number; complete: boolean };
    const first = await this.#transport.ask<Changes>(DOCUMENTS.changes, { seq: 0, first: 1 });
    const asked = { seq: since ?? first.head, userId: this.#owner, first: PAGE, waitS: WAIT_PER_CALL_S };
    let { epoch } = first;
    let after: string | null = null;
    while (!signal?.aborted) {
      const limits = { extraS: WAIT_PER_CALL_S, patienceS: RESTART_MAX_S, signal };
      const found: Changes | undefined = await this.#transport
        .ask<Changes>(DOCUMENTS.changes, { ...asked, after }, limits)
        .catch((error) => {
          if (!signal?.aborted) throw error;
          return undefined;
        });
      if (!found) return;
      epoch ||= found.epoch; // Before the first change of a tenant there is none.
      if (found.epoch !== epoch || !found.complete) {
        throw new MnemosceneError("changes were missed; read again what you hold", "MISSED");
      }
      after = found.pageInfo.endCursor;
      yield* found.nodes;
    }
  }

  async #all<N>(document: string, variables: object, limit = Infinity): Promise<N[]> {
    const nodes: N[] = [];
    const first = Math.max(1, Math.min(limit, PAGE));
    let after: string | null = null;
    do {
      const page: Page<N> = await this.#transport.ask<Page<N>>(document, { ...variables, first, after });
      nodes.push(...page.nodes);
      after = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : null;
    } while (after !== null && nodes.length < limit);
    return nodes.slice(0, limit);
  }
}

/** JSON values by namespace and key: those of the memory's user, or of the tenant in the memory of an agent. */
export class Items {
  constructor(
    private readonly transport: Transport,
    private readonly userId: string | undefined,
  ) {}

  /**
   * Store a value.
   *
   * @param options - `index`: the fields of the value that `search` looks into, by default all text; `ifVersion`: only
   *   if this version is stored, 0 for none.
   * @throws Conflict
   * @example
   * await memory.items.put(["settings"], "theme", { dark: true });
   */
  async put(
    namespace: string[],
    key: string,
    value: T.Json,
    options: { index?: string[]; ttlS?: number; expiresAt?: T.Time; ifVersion?: number } = {},
  ): Promise<T.Item> {
    if (value === null) throw new BadInput("null is no value; use delete", "BAD_INPUT");
    return (await this.#write({ namespace, key, value, ...options }))!;
  }

  /** Return an item, or null if there is none. */
  get(namespace: string[], key: string): Promise<T.Item | null> {
    return this.transport.ask(DOCUMENTS.item, { namespace, key, userId: this.userId });
  }

  /** Delete an item; nothing happens if there is none. */
  async delete(namespace: string[], key: string, options: { ifVersion?: number } = {}): Promise<void> {
    await this.#write({ namespace, key, value: null, ...options });
  }

  /**
   * Return the items below a namespace, latest first, or by a query best first.
   *
   * @example
   * await memory.items.search(["notes"], { query: "green tea", where: { kind: "drink" } });
   */
  search(
    namespace: string[] = [],
    options: { query?: string; where?: T.Where; limit?: number; offset?: number } = {},
  ): Promise<T.Item[]> {
    const { limit: first, ...rest } = options;
    return this.transport.ask(DOCUMENTS.items, { namespace, userId: this.userId, first, ...rest });
  }

  /** Return the namespaces that have items, sorted; `*` in `prefix` and `suffix` matches any label. */
  namespaces(
    options: { prefix?: string[]; suffix?: string[]; maxDepth?: number; limit?: number; offset?: number } = {},
  ): Promise<string[][]> {
    const { limit: first, ...rest } = options;
    return this.transport.ask(DOCUMENTS.itemNamespaces, { userId: this.userId, first, ...rest });
  }

  async #write(item: object): Promise<T.Item | null> {
    // Repeating it could find the version that the first try stored.
    const repeatable = !("ifVersion" in item);
    const items = [{ ...item, userId: this.userId }];
    const [stored] = await this.transport.ask<(T.Item | null)[]>(DOCUMENTS.putItems, { items }, { repeatable });
    return stored ?? null;
  }
}

function many(said: T.Said | readonly T.Said[]): readonly T.Said[] {
  if (!Array.isArray(said)) return [said as T.Said];
  const isPair = said.length === 2 && ROLES.has(said[0]) && typeof said[1] === "string";
  return isPair ? [said as unknown as T.Said] : (said as T.Said[]);
}

function asMessage(said: T.Said, tags: string[], ttlS?: number): T.NewMessage {
  let message: T.NewMessage;
  if (typeof said === "string") message = { text: said };
  else if ("text" in said) message = said;
  else message = { role: said[0], text: said[1] };
  const role = (message.role ?? "user").toUpperCase() as T.Role;
  const ttl = ttlS === undefined || message.expiresAt ? {} : { ttlS };
  return { ...ttl, ...message, role, tags: [...tags, ...(message.tags ?? [])] };
}
