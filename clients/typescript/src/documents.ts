/** GraphQL documents. A test of the service compares them with the schema, and the selections with `types.ts`. */

const EVIDENCE = "id uri role speaker text saidAt";
const CLOSED = "factIndex id statement";
const CONFLICT = "factIndex id statement why";
const CLOSING = "reason text factId messageId";
const NODE = "id name";
const PAGE = "pageInfo { hasNextPage endCursor }";

/** Fields of each type of answer. */
export const FIELDS = {
  RememberReceipt:
    `stored messageIds uris repeated dropped notes spooled closes { ${CLOSED} } conflicts { ${CONFLICT} }`,
  RecallHit:
    "text score kind id uri saidAt title role speaker tags pending subject predicate relation object confidence " +
    `validAt invalidAt overtakenBy evidence { ${EVIDENCE} }`,
  Context: "text tokens confidence nothingRelevant degraded notes",
  MemoryFact:
    `id uri statement subject { ${NODE} } predicate relation object { ${NODE} } strength confidence importance ` +
    "kind rationale steps tags validAt invalidAt knownAt lastSeen version createdAt updatedAt",
  FactStatus: `id uri statement kind validAt invalidAt holds closing { ${CLOSING} }`,
  FactVersion:
    "id statement subject predicate relation object confidence validAt invalidAt knownAt closingKnownAt " +
    `closing { ${CLOSING} } evidence`,
  Correction: "id text at factId replacedId pending",
  ProfilePart:
    "category omitted items { id statement predicate relation object importance confidence validAt lastSeen }",
  Session: "sessionId uri state openedAt lastAt messages scenes unread",
  StoredMessage:
    "id uri externalId sessionId role speaker text raw metadata tags time createdAt updatedAt expiresAt version isRead",
  ListedUser: "userId name firstSeen lastSeen",
  ForgetReceipt: "messages scenes facts entities reextracted spooled",
  Item: "namespace key value version createdAt updatedAt expiresAt score",
  GraphChange: "seq at userId op elementId reason body",
} as const;

const TIMES = "validAt: DateTime, asOf: DateTime";

function operation(kind: "query" | "mutation", name: string, types: string, fields: string): string {
  const head = types && `(${types.replace(/(\w+):/g, "$$$1:")})`;
  const call = types && `(${[...types.matchAll(/(\w+):/g)].map(([, argument]) => `${argument}: $${argument}`).join(", ")})`;
  return `${kind} ${name}${head} { ${name}${call} ${fields && `{ ${fields} }`} }`;
}

function page(type: keyof typeof FIELDS): string {
  return `nodes { ${FIELDS[type]} } ${PAGE}`;
}

/** All documents, by operation. */
export const DOCUMENTS = {
  remember: operation("mutation", "remember", "input: RememberInput!", FIELDS.RememberReceipt),
  recall: operation(
    "query",
    "recall",
    "query: String!, userId: String, agentId: String, limit: Int, kinds: [HitKind!], start: DateTime, end: DateTime, " +
      `${TIMES}, evidence: Int, sessionId: String, filter: RecallFilter, where: JSON`,
    `hits { ${FIELDS.RecallHit} }`,
  ),
  context: operation(
    "query",
    "context",
    `query: String!, userId: String, agentId: String, maxTokens: Int, sessionId: String, ${TIMES}, where: JSON`,
    FIELDS.Context,
  ),
  facts: operation(
    "query",
    "facts",
    "userId: String!, sessionId: String, tags: [String!], category: ProfileCategory, text: String, where: JSON, first: Int, " +
      `after: String, ${TIMES}, includeClosed: Boolean`,
    page("MemoryFact"),
  ),
  fact: operation("query", "fact", `id: String!, ${TIMES}`, FIELDS.FactStatus),
  history: operation("query", "factHistory", "id: String!, asOf: DateTime", FIELDS.FactVersion),
  update: operation(
    "mutation",
    "updateFact",
    "id: String!, statement: String, object: String, predicate: String, relation: String, validAt: DateTime, " +
      "invalidAt: DateTime, ifVersion: Int",
    FIELDS.Correction,
  ),
  profile: operation(
    "query",
    "profile",
    `userId: String, agentId: String, category: ProfileCategory, ${TIMES}`,
    FIELDS.ProfilePart,
  ),
  sessions: operation("query", "sessions", "userId: String!, first: Int, after: String", page("Session")),
  users: operation("query", "users", "prefix: String, first: Int, after: String", page("ListedUser")),
  messages: operation(
    "query",
    "messages",
    "userId: String, sessionId: String, tags: [String!], newestFirst: Boolean, first: Int, after: String",
    page("StoredMessage"),
  ),
  message: operation("query", "message", "userId: String!, sessionId: String!, id: String!", FIELDS.StoredMessage),
  setMessage: operation(
    "mutation",
    "setMessage",
    "userId: String!, sessionId: String!, id: String!, text: String, metadata: JSON, raw: JSON, tags: [String!], " +
      "expiresAt: DateTime, ttlS: Float, neverExpires: Boolean, ifVersion: Int",
    FIELDS.StoredMessage,
  ),
  isRead: operation("query", "isRead", "userId: String!, sessionId: String, waitS: Float", ""),
  changes: operation(
    "query",
    "changesSince",
    "seq: Float!, userId: String, waitS: Float, first: Int, after: String",
    `nodes { ${FIELDS.GraphChange} } pageInfo { hasNextPage endCursor } epoch head complete`,
  ),
  forgetMessage: operation("mutation", "forgetMessage", "id: String!", FIELDS.ForgetReceipt),
  forgetFact: operation("mutation", "forgetFact", "id: String!", FIELDS.ForgetReceipt),
  forgetSession: operation("mutation", "forgetSession", "userId: String!, sessionId: String!", FIELDS.ForgetReceipt),
  forgetUser: operation("mutation", "forgetUser", "userId: String!", FIELDS.ForgetReceipt),
  item: operation("query", "item", "namespace: [String!]!, key: String!, userId: String", FIELDS.Item),
  items: operation(
    "query",
    "items",
    "namespace: [String!], userId: String, query: String, where: JSON, first: Int, offset: Int",
    FIELDS.Item,
  ),
  itemNamespaces: operation(
    "query",
    "itemNamespaces",
    "userId: String, prefix: [String!], suffix: [String!], maxDepth: Int, first: Int, offset: Int",
    "",
  ),
  putItems: operation("mutation", "putItems", "items: [ItemInput!]!", FIELDS.Item),
} as const;
