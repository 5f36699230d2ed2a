import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ALONE, withFrame, pointedAt, Pointer } from "../src/live/presence";
import type { ClientFrame, SelectionSync } from "../src/protocol/frames";

const word = (by: string, ids: string[] | null, colour = 1): SelectionSync => ({ t: "selection_sync", viewer: by, clock: 1, ids, focus: ids?.[0] ?? null, colour });

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("others who watch", () => {
  it("point at things until they point at others or leave", () => {
    let state = withFrame(withFrame(ALONE, { t: "presence", others: 2 }), word("v1", ["a", "b"]));
    state = withFrame(state, word("v2", ["b"], 4));
    expect([state.others, [...pointedAt(state)]]).toEqual([2, [["a", 1], ["b", 4]]]);
    state = withFrame(withFrame(state, word("v1", [])), word("v2", null));
    expect([...pointedAt(state)]).toEqual([]);
  });
});

describe("telling the others", () => {
  it("says the latest only, and nothing twice", () => {
    const said: ClientFrame[] = [];
    const pointer = new Pointer((frame) => said.push(frame) > 0);
    for (const id of ["a", "b", "c"]) pointer.point(id);
    vi.runAllTimers();
    pointer.point("c");
    vi.runAllTimers();
    pointer.point(null);
    vi.runAllTimers();
    expect(said).toEqual([
      { t: "selection_sync", clock: 1, ids: ["c"], focus: "c" },
      { t: "selection_sync", clock: 2, ids: [], focus: null },
    ]);
  });

  it("says it again on a new line, and nothing while there is none", () => {
    const said: ClientFrame[] = [];
    let line = false;
    const pointer = new Pointer((frame) => line && said.push(frame) > 0);
    pointer.point("a");
    vi.runAllTimers();
    line = true;
    pointer.begin();
    vi.runAllTimers();
    pointer.begin();
    vi.runAllTimers();
    expect(said.map((frame) => frame.t === "selection_sync" && frame.ids)).toEqual([["a"], ["a"]]);
  });
});
