/** The state of the graph and its reducer: a state and a frame give the next state. Pure. */

import type { GraphPart } from "../protocol/generated";
import type { Bookmark, Count, GraphEdge, GraphFrame, GraphNode, GraphPatch, GraphSnapshot, PatchOp } from "../protocol/frames";

interface PartialSnapshot {
  epoch: string;
  seq: number;
  next: number;
  nodes: GraphNode[];
  edges: GraphEdge[];
}

export interface GraphState {
  epoch: string | null;
  seq: number;
  nodes: ReadonlyMap<string, GraphNode>;
  edges: ReadonlyMap<string, GraphEdge>;
  /** Edges whose end nodes are unknown; shown once these arrive. */
  waiting: ReadonlyMap<string, GraphEdge>;
  partial: PartialSnapshot | null;
  /** A snapshot was requested; patches are ignored until it arrives. */
  resyncing: boolean;
  /** The service sent an operation that this viewer does not know. */
  outdated: boolean;
  asOf: string | null;
  stale: boolean;
  total: Count;
}

/** What one frame changed, for the map, the highlights and the spoken summary. */
export interface Touched {
  whole: boolean;
  added: string[];
  changed: string[];
  removed: string[];
}

export interface Step {
  state: GraphState;
  touched: Touched | null;
  /** Why a snapshot must be requested; null if none is needed. */
  resync: string | null;
}

export const EMPTY_STATE: GraphState = {
  epoch: null,
  seq: 0,
  nodes: new Map(),
  edges: new Map(),
  waiting: new Map(),
  partial: null,
  resyncing: false,
  outdated: false,
  asOf: null,
  stale: false,
  total: { nodes: 0, edges: 0 },
};

export function applyFrame(state: GraphState, frame: GraphFrame): Step {
  switch (frame.t) {
    case "graph_snapshot":
      return applySnapshot(state, frame);
    case "graph_patch":
      return applyPatch(state, frame);
    case "bookmark":
      return applyBookmark(state, frame);
  }
}

/**
 * Merge a part that was fetched by HTTP.
 *
 * @param later ids that changed after the part was read; their known state is newer.
 */
export function applyPart(state: GraphState, part: Pick<GraphPart, "epoch" | "nodes" | "edges">, later: ReadonlySet<string>): GraphState {
  if (part.epoch !== state.epoch) return state;
  const draft = new Draft(state);
  for (const node of part.nodes) if (!later.has(node.id)) draft.putNode(node);
  for (const edge of part.edges) if (!later.has(edge.id)) draft.putEdge(edge);
  // The totals include the part already.
  return { ...draft.finish(state), total: state.total };
}

function unchanged(state: GraphState): Step {
  return { state, touched: null, resync: null };
}

/** Request a snapshot once; further gaps are ignored until it arrives. */
function gap(state: GraphState, why: string): Step {
  if (state.resyncing) return unchanged(state);
  return { state: { ...state, resyncing: true, partial: null }, touched: null, resync: why };
}

function applyBookmark(state: GraphState, frame: Bookmark): Step {
  if (state.resyncing || state.epoch === null) return unchanged(state);
  if (frame.epoch !== state.epoch) return gap(state, "epoch");
  if (frame.seq <= state.seq) return unchanged(state);
  return { state: { ...state, seq: frame.seq }, touched: null, resync: null };
}

function applySnapshot(state: GraphState, frame: GraphSnapshot): Step {
  const begun = frame.part === 0 ? null : state.partial;
  if (frame.part !== 0 && (begun === null || begun.epoch !== frame.epoch || begun.seq !== frame.seq || begun.next !== frame.part)) {
    // The incomplete snapshot was the response to the last request, so request it again.
    return gap(begun === null ? state : { ...state, resyncing: false }, "part");
  }
  const nodes = begun ? [...begun.nodes, ...frame.nodes] : frame.nodes;
  const edges = begun ? [...begun.edges, ...frame.edges] : frame.edges;
  if (frame.part + 1 < frame.parts) {
    const partial = { epoch: frame.epoch, seq: frame.seq, next: frame.part + 1, nodes, edges };
    return unchanged({ ...state, partial });
  }
  const draft = new Draft(EMPTY_STATE);
  for (const node of nodes) draft.putNode(node);
  for (const edge of edges) draft.putEdge(edge);
  const next: GraphState = {
    ...draft.finish(state),
    epoch: frame.epoch,
    seq: frame.seq,
    partial: null,
    resyncing: false,
    asOf: frame.as_of,
    stale: frame.stale,
    total: frame.total,
  };
  return { state: next, touched: difference(state, next), resync: null };
}

function difference(before: GraphState, after: GraphState): Touched {
  const touched: Touched = { whole: true, added: [], changed: [], removed: [] };
  for (const key of ["nodes", "edges"] as const) {
    for (const id of after[key].keys()) if (!before[key].has(id)) touched.added.push(id);
    for (const id of before[key].keys()) if (!after[key].has(id)) touched.removed.push(id);
  }
  return touched;
}

function applyPatch(state: GraphState, frame: GraphPatch): Step {
  if (state.resyncing) return unchanged(state);
  if (frame.epoch !== state.epoch) return gap(state, "epoch");
  if (frame.to <= state.seq) return unchanged(state);
  if (frame.from !== state.seq) return gap(state, "gap");
  const draft = new Draft(state);
  for (const op of frame.ops) {
    if (!draft.apply(op)) return gap({ ...state, outdated: true }, "unknown op");
  }
  const next = { ...draft.finish(state), seq: frame.to, asOf: frame.at, stale: false };
  return { state: next, touched: draft.touched, resync: null };
}

/** Mutable copies of the maps while one frame is applied. */
class Draft {
  readonly touched: Touched = { whole: false, added: [], changed: [], removed: [] };
  private readonly nodes: Map<string, GraphNode>;
  private readonly edges: Map<string, GraphEdge>;
  private readonly waiting: Map<string, GraphEdge>;

  constructor(private readonly before: GraphState) {
    this.nodes = new Map(before.nodes);
    this.edges = new Map(before.edges);
    this.waiting = new Map(before.waiting);
  }

  apply(op: PatchOp): boolean {
    switch (op[0]) {
      case "node+":
        this.putNode(op[1]);
        return true;
      case "edge+":
        this.putEdge(op[1]);
        return true;
      case "edge-":
        this.dropEdge(op[1]);
        return true;
      case "node-":
        this.dropNode(op[1]);
        return true;
      default:
        return false;
    }
  }

  putNode(node: GraphNode): void {
    this.note(this.nodes.has(node.id), node.id);
    this.nodes.set(node.id, { ...this.nodes.get(node.id), ...node });
    for (const edge of [...this.waiting.values()]) {
      if (edge.source === node.id || edge.target === node.id) this.putEdge(edge);
    }
  }

  putEdge(edge: GraphEdge): void {
    const { previous: _earlier, ...known } = this.edges.get(edge.id) ?? this.waiting.get(edge.id) ?? ({} as GraphEdge);
    const merged = { ...known, ...edge };
    this.waiting.delete(edge.id);
    if (!this.nodes.has(merged.source) || !this.nodes.has(merged.target)) {
      if (this.edges.delete(edge.id)) this.touched.removed.push(edge.id);
      this.waiting.set(edge.id, merged);
      return;
    }
    this.note(this.edges.has(edge.id), edge.id);
    this.edges.set(edge.id, merged);
  }

  dropEdge(id: string): void {
    this.waiting.delete(id);
    if (this.edges.delete(id)) this.touched.removed.push(id);
  }

  dropNode(id: string): void {
    for (const edge of [...this.edges.values(), ...this.waiting.values()]) {
      if (edge.source === id || edge.target === id) this.dropEdge(edge.id);
    }
    if (this.nodes.delete(id)) this.touched.removed.push(id);
  }

  finish(state: GraphState): GraphState {
    const { nodes, edges, waiting, before } = this;
    const grown = { nodes: nodes.size - before.nodes.size, edges: edges.size - before.edges.size };
    const total = { nodes: state.total.nodes + grown.nodes, edges: state.total.edges + grown.edges };
    return { ...state, nodes, edges, waiting, total };
  }

  private note(known: boolean, id: string): void {
    (known ? this.touched.changed : this.touched.added).push(id);
  }
}
