/** Answers of `/api/explore`: parts of the memory beside what travels over the socket (`schema/parts.schema.json`). */

import type { Count, GraphEdge, GraphNode } from "./frames";

export interface GraphPart {
  t: "graph_part";
  epoch: string;
  seq: number;
  /** How many things belong to what was asked for, shown or not. */
  total: number;
  nodes: GraphNode[];
  edges: GraphEdge[];
  /** For a path, the ids of the things from one end to the other, the best path first. */
  paths: string[][];
}

export interface ChangeLine {
  seq: number;
  at: string;
  op: "node+" | "edge+" | "node-" | "edge-";
  element_id: string;
  reason: string;
  node: GraphNode | null;
  edge: GraphEdge | null;
}

export interface RecentChanges {
  t: "recent_changes";
  epoch: string;
  changes: ChangeLine[];
  labels: Record<string, string>;
  more: boolean;
}

export interface CommunityView {
  id: string;
  label: string;
  members: Count;
  user_id: string;
}

export interface CommunityTie {
  source: string;
  target: string;
  n: number;
}

export interface CommunityMap {
  t: "community_map";
  epoch: string;
  seq: number;
  total: number;
  people: GraphNode[];
  communities: CommunityView[];
  ties: CommunityTie[];
  of: Record<string, string>;
}
