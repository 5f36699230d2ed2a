import { afterEach, describe, expect, it, vi } from "vitest";
import { Conflicts } from "../src/view/conflicts";

interface Call {
  user: string;
  answer(facts: string[]): Promise<void>;
}

/** A service that answers when it is told to. */
function aService(): Call[] {
  const calls: Call[] = [];
  vi.stubGlobal("fetch", (_: string, { body }: { body: string }) => {
    const { user } = (JSON.parse(body) as { variables: { user: string } }).variables;
    return new Promise((resolve) => {
      const answer = async (facts: string[]): Promise<void> => {
        const data = { contradictions: facts.length ? [{ facts: facts.map((id) => ({ id })) }] : [] };
        resolve({ ok: true, json: async () => ({ data }) });
        await vi.advanceTimersByTimeAsync(0);
      };
      calls.push({ user, answer });
    });
  });
  return calls;
}

describe("contradictions of several memories", () => {
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  it("are asked for one after another, and for a tenth of the time at most", async () => {
    vi.useFakeTimers();
    const calls = aService();
    const conflicts = new Conflicts({ tenant: "t", people: () => ["ana", "bob"] });
    conflicts.ask();
    expect(calls.map(({ user }) => user)).toEqual(["ana"]);
    // The service takes six seconds for each, and changes go on meanwhile.
    await vi.advanceTimersByTimeAsync(6_000);
    conflicts.ask();
    await calls[0]?.answer(["1", "2"]);
    expect([calls.map(({ user }) => user), conflicts.ids.value.size]).toEqual([["ana", "bob"], 0]);
    await vi.advanceTimersByTimeAsync(6_000);
    await calls[1]?.answer(["3", "4"]);
    expect([...conflicts.ids.value.keys()]).toEqual(["1", "2", "3", "4"]);
    await vi.advanceTimersByTimeAsync(100_000);
    expect(calls.length).toBe(2);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(calls.length).toBe(3);
  });

  it("of a memory that is left are dropped", async () => {
    vi.useFakeTimers();
    const calls = aService();
    const people = ["ana"];
    const conflicts = new Conflicts({ tenant: "t", people: () => people });
    conflicts.ask();
    conflicts.clear();
    people[0] = "bob";
    await vi.advanceTimersByTimeAsync(5_000);
    conflicts.ask();
    await calls[0]?.answer(["1", "2"]);
    await calls[1]?.answer(["3", "4"]);
    expect([...conflicts.ids.value.keys()]).toEqual(["3", "4"]);
  });

  it("of a large memory are asked for after half a minute, unless it is left", async () => {
    vi.useFakeTimers();
    const calls = aService();
    const conflicts = new Conflicts({ tenant: "t", people: () => ["ana"] });
    conflicts.askLater();
    await vi.advanceTimersByTimeAsync(29_000);
    expect(calls.length).toBe(0);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(calls.length).toBe(1);
    conflicts.clear();
    conflicts.askLater();
    conflicts.clear();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(calls.length).toBe(1);
  });
});
