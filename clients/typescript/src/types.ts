export type Role = "user" | "assistant" | "system" | "tool" | "event";
export type HitKind = "message" | "scene" | "fact";
export type Category = "personal" | "work" | "preferences" | "relationships" | "goals";
export type Json = string | number | boolean | null | Json[] | { [name: string]: Json };
/** A time: a `Date`, or ISO 8601. */
export type Time = Date | string;
/**
 * A condition: `{project: "x"}`, `{n: {gt: 5}}` with eq, ne, gt, gte, lt, lte, in, contains; and `AND`, `OR`, `NOT`.
 */
export type Where = { [name: string]: unknown };

/** A message to store; with an `id` it can be sent again without effect. */
export interface NewMessage {
  text: string;
  role?: Role;
  id?: string;
  time?: Time;
  speaker?: string;
  emotion?: string;
  importance?: number | string;
  /** `Asia/Shanghai` or `+08:00`. */
  zone?: string;
  mentionedStart?: Time;
  mentionedEnd?: Time;
  tags?: string[];
  /** Properties to filter by. */
  metadata?: { [name: string]: string | number | boolean | string[] };
  /** Any payload, kept as it is. */
  raw?: Json;
  /** When it is forgotten, with everything that only it proves. */
  expiresAt?: Time;
  /** Seconds until then. */
  ttlS?: number;
}

/** A text of the user, a pair of role and text, or a message. */
export type Said = string | readonly [Role, string] | NewMessage;

/** A fact that the caller extracted from the messages of the same call. */
export interface NewFact {
  subject: string;
  predicate: "PREFERS" | "DISLIKES" | "CARES_ABOUT" | "RELATES_TO" | "CAUSED_BY";
  object: string;
  statement: string;
  relation?: string;
  subjectType?: string;
  objectType?: string;
  strength?: number;
  confidence?: number;
  importance?: number | string;
  validAt?: Time;
  invalidAt?: Time;
  kind?: "fact" | "decision" | "procedure";
  rationale?: string;
  steps?: string[];
  /** Known facts of the same subject that this one replaces: ids, statements or objects. */
  replaces?: string[];
}

// The types below are compared with the schema, and with the selections of `documents.ts`, by a test of the service.

/** What `remember` stored. */
export interface RememberReceipt {
  stored: number;
  messageIds: string[];
  uris: string[];
  /** Number of messages that were already stored. */
  repeated: number;
  closes: ClosedFact[];
  conflicts: FactConflict[];
  /** Reasons why facts of the call were rejected. */
  dropped: string[];
  notes: string[];
  /** The database is unavailable; the messages are safe on the service's disk. */
  spooled: boolean;
}

/** A known fact that a fact of the call closes. */
export interface ClosedFact {
  factIndex: number;
  id: string;
  statement: string;
}

/** A known fact that a fact of the call may contradict; both stay valid. */
export interface FactConflict {
  factIndex: number;
  id: string;
  statement: string;
  why: string;
}

/** A message that is evidence for a hit. */
export interface HitEvidence {
  id: string;
  uri: string;
  role: Role;
  speaker: string | null;
  text: string;
  saidAt: string;
}

/** A message, scene or fact that answers a question. */
export interface RecallHit {
  /** The message, the scene's abstract, or the fact's statement. */
  text: string;
  score: number;
  kind: HitKind;
  id: string;
  uri: string;
  saidAt: string;
  title: string | null;
  role: string | null;
  speaker: string | null;
  tags: string[];
  /** Stored and searchable, but not read yet. */
  pending: boolean;
  subject: string | null;
  predicate: string | null;
  relation: string | null;
  object: string | null;
  confidence: number | null;
  validAt: string | null;
  invalidAt: string | null;
  /** Id of the fact that replaced it, or of the message that corrects it. */
  overtakenBy: string | null;
  evidence: HitEvidence[];
}

/** Memory as text for a prompt, quoted so that it cannot act as an instruction. */
export interface Context {
  text: string;
  tokens: number;
  /** Probability that the memory contains an answer; null if not estimated. */
  confidence: number | null;
  nothingRelevant: boolean;
  degraded: boolean;
  notes: string[];
}

/** A subject or object of a fact. */
export interface MemoryNode {
  id: string;
  name: string;
}

/** A relation between two named things. */
export interface MemoryFact {
  id: string;
  uri: string;
  statement: string;
  subject: MemoryNode | null;
  predicate: string;
  relation: string | null;
  object: MemoryNode | null;
  strength: number;
  confidence: number;
  importance: number | null;
  kind: "fact" | "decision" | "procedure";
  rationale: string | null;
  steps: string[];
  tags: string[];
  validAt: string | null;
  invalidAt: string | null;
  knownAt: string | null;
  lastSeen: string | null;
  /** 1 for a new fact, one more with each change of it. */
  version: number;
  createdAt: string | null;
  updatedAt: string | null;
}

/** Why a fact is no longer valid, and what closed it. */
export interface FactClosing {
  reason: string;
  text: string;
  factId: string | null;
  messageId: string | null;
}

/** A fact, and whether it is valid. */
export interface FactStatus {
  id: string;
  uri: string;
  statement: string;
  kind: "fact" | "decision" | "procedure";
  validAt: string | null;
  invalidAt: string | null;
  /** It was valid at the time asked for. */
  holds: boolean;
  closing: FactClosing | null;
}

/** One fact in the history of a fact. */
export interface FactVersion {
  id: string;
  statement: string;
  subject: string;
  predicate: string;
  relation: string | null;
  object: string;
  confidence: number;
  validAt: string | null;
  invalidAt: string | null;
  knownAt: string;
  closingKnownAt: string | null;
  closing: FactClosing | null;
  /** Ids of messages. */
  evidence: string[];
}

/** A correction of a fact. */
export interface Correction {
  id: string;
  text: string;
  at: string;
  /** The fact that holds now; null while the correction is pending. */
  factId: string | null;
  /** The fact that it replaced, if it created another one. */
  replacedId: string | null;
  pending: boolean;
}

/** A fact of a profile. */
export interface ProfileItem {
  id: string;
  statement: string;
  predicate: string;
  relation: string | null;
  object: string;
  importance: number;
  confidence: number;
  validAt: string;
  lastSeen: string;
}

/** One category of a profile, the most important items first. */
export interface ProfilePart {
  category: Category;
  items: ProfileItem[];
  omitted: number;
}

/** A conversation. */
export interface Session {
  sessionId: string;
  uri: string;
  state: string;
  openedAt: string;
  lastAt: string;
  messages: number;
  scenes: number;
  /** Number of messages that are not read yet. */
  unread: number;
}

/** A message as it is stored. */
export interface StoredMessage {
  id: string;
  uri: string;
  /** Your id. */
  externalId: string | null;
  sessionId: string;
  role: Role;
  speaker: string | null;
  text: string;
  raw: Json | null;
  metadata: Json;
  tags: string[];
  time: string;
  createdAt: string;
  updatedAt: string;
  expiresAt: string | null;
  version: number;
  isRead: boolean;
}

/** A user whose memory is stored. */
export interface ListedUser {
  userId: string;
  name: string;
  firstSeen: string;
  lastSeen: string;
}

/** Numbers of what was deleted. */
export interface ForgetReceipt {
  messages: number;
  scenes: number;
  facts: number;
  entities: number;
  /** Neighbouring messages and scenes that are read again. */
  reextracted: number;
  spooled: number;
}

/** A JSON value, stored under a namespace and a key. */
export interface Item {
  namespace: string[];
  key: string;
  value: Json;
  version: number;
  createdAt: string;
  updatedAt: string;
  expiresAt: string | null;
  /** How well it answers the query; null without a query. */
  score: number | null;
}

/** A change of the graph. */
export interface GraphChange {
  seq: number;
  at: string;
  userId: string;
  /** `node+`, `edge+`, `node-` or `edge-`. */
  op: string;
  elementId: string;
  reason: string;
  /** The element after the change; null if it was deleted. */
  body: Json | null;
}
