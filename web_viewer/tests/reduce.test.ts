import { describe, expect, it } from "vitest";
import { applyFrame, EMPTY_STATE, type GraphState } from "../src/graph/reduce";
import type { GraphEdge, GraphFrame, GraphNode, PatchOp } from "../src/protocol/frames";
import { aNode, anEdge, aPatch, aSnapshot, dice, pick } from "./builders";

function fold(frames: GraphFrame[], state: GraphState = EMPTY_STATE): GraphState {
  return frames.reduce((now, frame) => applyFrame(now, frame).state, state);
}

const BEGUN = fold([aSnapshot(10, [aNode("u"), aNode("a")], [anEdge("r", "u", "a")])]);

describe("applying frames", () => {
  it("ignores a patch that was applied before", () => {
    const patch = aPatch(10, 11, [["node+", aNode("b")]]);
    const once = fold([patch], BEGUN);
    expect(fold([patch], once)).toBe(once);
  });

  it("asks once for a snapshot when a patch is missing, then waits for it", () => {
    const first = applyFrame(BEGUN, aPatch(12, 13, []));
    expect(first.resync).toBe("gap");
    const second = applyFrame(first.state, aPatch(13, 14, []));
    expect(second.resync).toBeNull();
    expect(second.state.seq).toBe(10);
    expect(fold([aSnapshot(14, [aNode("z")], [])], second.state).nodes.has("z")).toBe(true);
  });

  it("asks for a snapshot when the epoch has changed", () => {
    expect(applyFrame(BEGUN, aPatch(10, 11, [], { epoch: "e2" })).resync).toBe("epoch");
  });

  it("asks for a snapshot when it does not know an operation", () => {
    const step = applyFrame(BEGUN, aPatch(10, 11, [["merge", {}] as unknown as PatchOp]));
    expect(step.resync).toBe("unknown op");
    expect(step.state.outdated).toBe(true);
  });

  it("removes the edges of a removed node", () => {
    const state = fold([aPatch(10, 11, [["node-", "a"]])], BEGUN);
    expect([...state.edges.keys()]).toEqual([]);
  });

  it("keeps an edge aside until its node comes", () => {
    const early = fold([aPatch(10, 11, [["edge+", anEdge("x", "u", "late")]])], BEGUN);
    expect(early.edges.has("x")).toBe(false);
    expect(fold([aPatch(11, 12, [["node+", aNode("late")]])], early).edges.has("x")).toBe(true);
  });

  it("forgets what an edge was when the next change comes", () => {
    const stronger = fold([aPatch(10, 11, [["edge+", anEdge("r", "u", "a", { strength: 0.7, previous: { strength: 0.5 } })]])], BEGUN);
    expect(stronger.edges.get("r")?.previous).toEqual({ strength: 0.5 });
    expect(fold([aPatch(11, 12, [["edge+", anEdge("r", "u", "a")]])], stronger).edges.get("r")?.previous).toBeUndefined();
  });

  it("shows a snapshot in parts only when the last part is there", () => {
    const parts = { parts: 2 };
    const half = fold([aSnapshot(20, [aNode("n")], [], { ...parts, part: 0 })], BEGUN);
    expect(half.nodes.has("n")).toBe(false);
    const whole = fold([aSnapshot(20, [aNode("m")], [anEdge("nm", "n", "m")], { ...parts, part: 1 })], half);
    expect([[...whole.nodes.keys()], [...whole.edges.keys()], whole.seq]).toEqual([["n", "m"], ["nm"], 20]);
  });

  it("asks anew when a part of a snapshot is missing", () => {
    const half = fold([aSnapshot(20, [], [], { parts: 3, part: 0 })], BEGUN);
    const step = applyFrame(half, aSnapshot(20, [], [], { parts: 3, part: 2 }));
    expect([step.resync, step.state.partial]).toEqual(["part", null]);
  });

  it("moves the resume point by a bookmark and never backwards", () => {
    expect(fold([{ t: "bookmark", epoch: "e1", seq: 15 }], BEGUN).seq).toBe(15);
    expect(fold([{ t: "bookmark", epoch: "e1", seq: 5 }], BEGUN).seq).toBe(10);
  });
});

/** A service with a history: knows every state, cuts it into patches, and answers questions for snapshots. */
class Service {
  nodes = new Map<string, GraphNode>();
  edges = new Map<string, GraphEdge>();
  readonly log: PatchOp[] = [];

  constructor(private readonly roll: () => number) {}

  change(): void {
    const { roll } = this;
    const ids = [...this.nodes.keys()];
    const chance = roll();
    if (ids.length < 2 || chance < 0.35) this.record(["node+", aNode(`n${Math.floor(roll() * 40)}`, { label: String(roll()) })]);
    else if (chance < 0.75) this.record(["edge+", anEdge(`r${Math.floor(roll() * 60)}`, pick(roll, ids), pick(roll, ids), { strength: roll() })]);
    else if (chance < 0.9 && this.edges.size > 0) this.record(["edge-", pick(roll, [...this.edges.keys()])]);
    else this.record(["node-", pick(roll, ids)]);
  }

  snapshot(parts: number): GraphFrame[] {
    const nodes = [...this.nodes.values()];
    const edges = [...this.edges.values()];
    return Array.from({ length: parts }, (_, part) =>
      aSnapshot(
        this.log.length,
        nodes.filter((__, index) => index % parts === part),
        edges.filter((__, index) => index % parts === (part + 1) % parts),
        { part, parts },
      ),
    );
  }

  private record(op: PatchOp): void {
    this.log.push(op);
    if (op[0] === "node+") this.nodes.set(op[1].id, op[1]);
    else if (op[0] === "edge+") this.edges.set(op[1].id, op[1]);
    else if (op[0] === "edge-") this.edges.delete(op[1]);
    else {
      this.nodes.delete(op[1]);
      for (const edge of this.edges.values()) if (edge.source === op[1] || edge.target === op[1]) this.edges.delete(edge.id);
    }
  }
}

function sorted<T>(items: ReadonlyMap<string, T>): [string, T][] {
  return [...items].sort(([a], [b]) => (a < b ? -1 : 1));
}

describe("any history", () => {
  it.each(Array.from({ length: 120 }, (_, seed) => seed))("ends in the same graph as a fresh snapshot, over duplicates, gaps and cut parts (%i)", (seed) => {
    const roll = dice(seed);
    const service = new Service(roll);
    for (let count = Math.floor(roll() * 30); count > 0; count -= 1) service.change();
    let state = fold(service.snapshot(1));
    let sent = service.log.length;
    let last: GraphFrame | null = null;
    const take = (frame: GraphFrame): void => {
      const step = applyFrame(state, frame);
      state = step.state;
      if (step.resync === null) return;
      const parts = service.snapshot(1 + Math.floor(roll() * 3));
      // The connection may break while a snapshot is on its way; the next one starts from the beginning.
      if (roll() < 0.2) for (const part of parts.slice(0, -1)) take(part);
      for (const part of parts) state = applyFrame(state, part).state;
      sent = service.log.length;
    };
    for (let round = 0; round < 25; round += 1) {
      for (let count = Math.floor(roll() * 6); count > 0; count -= 1) service.change();
      const patch = aPatch(sent, service.log.length, service.log.slice(sent));
      sent = service.log.length;
      if (patch.to === patch.from) continue;
      if (roll() < 0.15) continue;
      take(patch);
      if (last !== null && roll() < 0.3) take(last);
      last = patch;
    }
    service.change();
    take(aPatch(sent, service.log.length, service.log.slice(sent)));
    const fresh = fold(service.snapshot(1));
    expect([sorted(state.nodes), sorted(state.edges), state.seq]).toEqual([sorted(fresh.nodes), sorted(fresh.edges), fresh.seq]);
  });
});
