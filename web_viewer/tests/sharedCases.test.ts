/** The histories that the service's own tests fold too: both sides must end with the same graph. */

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { applyFrame, EMPTY_STATE, type GraphState } from "../src/graph/reduce";
import type { GraphEdge, GraphFrame, GraphNode, GraphSnapshot } from "../src/protocol/frames";
import { dice } from "./builders";

interface Case {
  frames: GraphFrame[];
  shown: { seq: number; nodes: GraphNode[]; edges: GraphEdge[] };
}

const CASES = JSON.parse(readFileSync(new URL("../../tests/unit/live/patch_cases.json", import.meta.url), "utf-8")) as Case[];

function fold(frames: readonly GraphFrame[], state: GraphState = EMPTY_STATE): GraphState {
  return frames.reduce((now, frame) => applyFrame(now, frame).state, state);
}

/** What a viewer shows, by id, without what only a change tells. */
function shown(state: GraphState): Case["shown"] {
  const edges = [...state.edges.values()].map(({ previous: _previous, ...edge }) => edge);
  return { seq: state.seq, nodes: [...state.nodes.values()].sort(byId), edges: edges.sort(byId) };
}

function byId(a: { id: string }, b: { id: string }): number {
  return a.id < b.id ? -1 : 1;
}

describe("a snapshot and the patches after it", () => {
  it.each(CASES.map((one, index) => [index, one] as const))("show what a later snapshot shows (%i)", (_, one) => {
    expect(shown(fold(one.frames))).toEqual(one.shown);
  });

  it.each(CASES.map((one, index) => [index, one] as const))("end the same over repeats, gaps and a snapshot in between (%i)", (seed, one) => {
    const roll = dice(seed);
    const first = one.frames.filter((frame): frame is GraphSnapshot => frame.t === "graph_snapshot");
    const patches = one.frames.slice(first.length);
    let state = fold(first);
    for (const patch of patches) {
      if (roll() < 0.3) state = fold([patch], state);
      const step = applyFrame(state, patch);
      state = step.state;
      expect(step.resync).toBeNull();
      if (roll() < 0.3) expect(fold([patch], state)).toBe(state);
    }
    if (patches.length > 2) {
      const lost = applyFrame(fold([...first, patches[0] as GraphFrame]), patches[2] as GraphFrame);
      expect(lost.resync).toBe("gap");
      // The snapshot that a gap asks for: the whole as the service holds it then.
      const fresh: GraphSnapshot = { ...(first[0] as GraphSnapshot), part: 0, parts: 1, ...one.shown };
      expect(shown(fold([fresh], lost.state))).toEqual(one.shown);
    }
    expect(shown(state)).toEqual(one.shown);
  });
});
