/** Frames of the WebSocket `/live` (sub-protocol `mnemoscene.v1`); receivers ignore unknown fields. */

import type {
  Ack,
  Bookmark,
  EdgeView as GraphEdge,
  ErrorFrame as ServiceError,
  GraphPatch as UntypedPatch,
  GraphSnapshot,
  Hello,
  HelloAck,
  NodeView as GraphNode,
  SelectionUpdate,
  PlaceNodes,
  Places,
  Presence,
  QuestionAsked,
  QuestionsRemoved,
  Resync,
  Said,
  Scope as PartialScope,
  ScopeChange,
  SelectionSync,
  Status as ServiceStatus,
} from "./generated";

export type { Bookmark, GraphEdge, GraphNode, GraphSnapshot, HelloAck, PlaceNodes, Places, Presence, QuestionAsked, QuestionsRemoved, Said, SelectionSync, ServiceError, ServiceStatus };
export type { Count, Resume as ResumePoint, UserView as MemoryOwner } from "./generated";

export const SUB_PROTOCOL = "mnemoscene.v1";
export const PROTOCOL_MAJOR = 1;

export type PatchOp =
  | ["node+", GraphNode]
  | ["edge+", GraphEdge]
  | ["edge-", string]
  | ["node-", string];

export type Scope = Required<PartialScope>;
export type GraphPatch = Omit<UntypedPatch, "ops"> & { ops: PatchOp[] };
export type GraphFrame = GraphSnapshot | GraphPatch | Bookmark;
/** What was asked or said at this moment. */
export type NowFrame = QuestionAsked | QuestionsRemoved | Said;
export type ServerFrame = HelloAck | GraphFrame | ServiceStatus | SelectionSync | Places | Presence | NowFrame | ServiceError;
export type ClientFrame = Hello | Ack | Resync | SelectionUpdate | ScopeChange | PlaceNodes;

const KNOWN = new Set(["hello_ack", "graph_snapshot", "graph_patch", "bookmark", "status", "selection_sync", "places", "presence", "question", "questions_removed", "said", "error"]);

/**
 * Parse one text message.
 *
 * @returns the frame, or null for a type that only a newer service sends.
 * @throws SyntaxError if the text is not a JSON object with a field `t`.
 */
export function readFrame(text: string): ServerFrame | null {
  const value: unknown = JSON.parse(text);
  if (typeof value !== "object" || value === null || !("t" in value)) {
    throw new SyntaxError("a frame must be a JSON object with a field `t`");
  }
  return typeof value.t === "string" && KNOWN.has(value.t) ? (value as ServerFrame) : null;
}
