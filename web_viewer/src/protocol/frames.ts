/** What travels over `/live` (sub-protocol `mnemograph.v1`); unknown fields are ignored. */

export const SUB_PROTOCOL = "mnemograph.v1";
export const PROTOCOL_MAJOR = 1;

export interface GraphNode {
  id: string;
  kind: string;
  label: string;
  user_id: string | null;
  entity_type: string | null;
  aliases: string[];
  /** A scene's shortest account of itself. */
  summary: string | null;
  importance: number | null;
  first_seen: string;
  last_seen: string;
  evidence_n: number;
}

export interface GraphEdge {
  id: string;
  source: string;
  target: string;
  predicate: string;
  /** Free words such as "works at". */
  relation: string | null;
  strength: number;
  confidence: number;
  first_seen: string;
  last_seen: string;
  valid_at: string | null;
  /** Set when the fact no longer holds. */
  invalid_at: string | null;
  /** When it was first heard; absent from services that do not tell. */
  known_at?: string | null;
  /** When its end was heard. */
  closing_known_at?: string | null;
  /** That of a profile, such as "work". */
  category?: string | null;
  evidence_n: number;
  /** What the edge was before this change; only inside patches. */
  was?: { strength?: number } | null;
}

export interface Count {
  nodes: number;
  edges: number;
}

export interface MemoryOwner {
  user_id: string;
  label: string;
}

export interface HelloAck {
  t: "hello_ack";
  v: number;
  epoch: string;
  head: number;
  version: string;
  read_only: boolean;
  db: "up" | "down";
  limits: { msg_bytes: number; window: number; ping_s: number };
  kinds: string[];
  predicates: string[];
  users: MemoryOwner[];
  /** Stands for whoever was let in; null while the service is open to all. */
  holder?: string | null;
  /** When that access ends. */
  until?: string | null;
}

export interface GraphSnapshot {
  t: "graph_snapshot";
  epoch: string;
  seq: number;
  part: number;
  parts: number;
  as_of: string;
  stale: boolean;
  shown: Count;
  total: Count;
  nodes: GraphNode[];
  edges: GraphEdge[];
}

export type PatchOp =
  | ["node+", GraphNode]
  | ["edge+", GraphEdge]
  | ["edge-", string]
  | ["node-", string];

export interface GraphPatch {
  t: "graph_patch";
  epoch: string;
  from: number;
  to: number;
  at: string;
  n: number;
  ops: PatchOp[];
}

export interface Bookmark {
  t: "bookmark";
  epoch: string;
  seq: number;
}

export interface ServiceStatus {
  t: "status";
  db: "up" | "down";
  serving: "live" | "last snapshot";
  as_of: string;
}

/** What somebody else points at; ids of null: it left. */
export interface SelectionSync {
  t: "selection_sync";
  by: string;
  clock: number;
  ids: string[] | null;
  focus: string | null;
  colour: number;
}

/** How many others watch. */
export interface Presence {
  t: "presence";
  others: number;
}

export interface ServiceError {
  t: "error";
  code: string;
  message: string;
  retry_s: number | null;
}

export type GraphFrame = GraphSnapshot | GraphPatch | Bookmark;
export type ServerFrame = HelloAck | GraphFrame | ServiceStatus | SelectionSync | Presence | ServiceError;

export interface Scope {
  tenant: string;
  user: string | null;
  budget: number;
}

export interface ResumePoint {
  epoch: string;
  seq: number;
}

export type ClientFrame =
  | { t: "hello"; v: number; client: string; lang: string; scope: Scope; resume: ResumePoint | null }
  | { t: "ack"; seq: number }
  | { t: "resync"; why: string }
  | { t: "selection_sync"; clock: number; ids: string[]; focus: string | null }
  | { t: "scope"; user: string | null; budget: number };

const KNOWN = new Set(["hello_ack", "graph_snapshot", "graph_patch", "bookmark", "status", "selection_sync", "presence", "error"]);

/**
 * Reads one text message.
 *
 * @returns the frame, or null for a type that a newer service may send and this viewer does not know.
 * @throws SyntaxError when the text is no JSON object with a `t`.
 */
export function readFrame(text: string): ServerFrame | null {
  const value: unknown = JSON.parse(text);
  if (typeof value !== "object" || value === null || !("t" in value)) {
    throw new SyntaxError("a frame must be a JSON object with a field `t`");
  }
  return typeof value.t === "string" && KNOWN.has(value.t) ? (value as ServerFrame) : null;
}
