import { describe, expect, it } from "vitest";
import { GraphStore } from "../src/graph/store";
import { aNode, anEdge, aPatch, aSnapshot } from "./builders";

function aStore(): GraphStore {
  const store = new GraphStore();
  store.take(aSnapshot(1, [aNode("u")], []));
  return store;
}

describe("what counts as new", () => {
  it("is what a patch added, until somebody looks", () => {
    const store = aStore();
    store.take(aPatch(1, 2, [["node+", aNode("a")], ["edge+", anEdge("r", "u", "a")]]));
    expect([...store.newIds]).toEqual(["a", "r"]);
    expect([store.look(["a"]), store.look(["a"])]).toEqual([true, false]);
    expect([...store.newIds]).toEqual(["r"]);
  });

  it("is nothing of the first snapshot", () => {
    expect(aStore().newIds.size).toBe(0);
  });

  it("is what came while the connection was lost, found by the next snapshot", () => {
    const store = aStore();
    store.take(aSnapshot(5, [aNode("u"), aNode("b")], []));
    expect([...store.newIds]).toEqual(["b"]);
  });

  it("is nothing after somebody asked for another memory", () => {
    const store = aStore();
    store.changeScope();
    store.take(aSnapshot(5, [aNode("other")], []));
    expect(store.newIds.size).toBe(0);
  });

  it("is nothing that was only read again", () => {
    const store = aStore();
    store.take(aPatch(1, 2, [["node+", aNode("a")], ["edge+", anEdge("r", "u", "a")]]));
    store.look(["a", "r"]);
    store.take(aPatch(2, 3, [["edge-", "r"], ["node-", "a"]]));
    const touched: string[][] = [];
    store.listen((_, { added, changed }) => touched.push([...added], [...changed]));
    store.take(aPatch(3, 4, [["node+", aNode("a")], ["node+", aNode("b")], ["edge+", anEdge("r", "u", "a")]]));
    expect([[...store.newIds], touched]).toEqual([["b"], [["b"], ["a", "r"]]]);
  });

  it("does not outlive its removal", () => {
    const store = aStore();
    store.take(aPatch(1, 2, [["node+", aNode("a")]]));
    store.take(aPatch(2, 3, [["node-", "a"]]));
    expect(store.newIds.size).toBe(0);
  });
});
