import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { waitMs } from "../src/live/backoff";
import { Connection, type LinkState } from "../src/live/connection";
import type { GraphFrame, ResumePoint } from "../src/protocol/frames";
import { aPatch, aSnapshot } from "./builders";

/** The browser's half of a socket; the test plays the other half. */
class Line {
  readyState = 0;
  sent: Record<string, unknown>[] = [];
  onopen: (() => void) | null = null;
  onmessage: ((message: { data: string }) => void) | null = null;
  onclose: ((event: { code: number }) => void) | null = null;

  send(text: string): void {
    this.sent.push(JSON.parse(text) as Record<string, unknown>);
  }

  close(): void {
    this.readyState = 3;
  }

  open(): void {
    this.readyState = 1;
    this.onopen?.();
  }

  say(frame: unknown): void {
    this.onmessage?.({ data: typeof frame === "string" ? frame : JSON.stringify(frame) });
  }

  drop(code = 1006): void {
    this.readyState = 3;
    this.onclose?.({ code });
  }
}

const HELLO = { t: "hello_ack", v: 1, epoch: "e1", head: 1, limits: { msg_bytes: 1, window: 3, ping_s: 15 }, users: [] };

function aLink(answer: string | null = null) {
  const lines: Line[] = [];
  const states: LinkState[] = [];
  const frames: GraphFrame[] = [];
  const drawn: (() => void)[] = [];
  let resume: ResumePoint | null = null;
  const link = new Connection("ws://x/live", "c-1", { tenant: "default", user: null, budget: 800 }, () => "en", () => resume, {
    onState: (state) => states.push(state),
    onHello: () => undefined,
    onNow: () => undefined,
    onGraph: (frame) => {
      frames.push(frame);
      return answer;
    },
    onStatus: () => undefined,
    onPlaces: () => undefined,
    onOthers: () => undefined,
    onError: () => undefined,
  }, {
    open: () => {
      const line = new Line();
      lines.push(line);
      return line as unknown as WebSocket;
    },
    now: () => Date.now(),
    random: () => 0.5,
    shown: (then) => drawn.push(then),
  });
  link.start();
  const at = (index: number): Line => lines[index] as Line;
  return { link, at, lines, states, frames, drawn, setResume: (point: ResumePoint) => (resume = point) };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("the connection", () => {
  it("greets with its scope and is live when it is answered", () => {
    const { at, states } = aLink();
    at(0).open();
    expect(at(0).sent[0]).toMatchObject({ t: "hello", v: 1, lang: "en", scope: { tenant: "default", user: null, budget: 800 }, resume: null });
    at(0).say(HELLO);
    expect(states.map((state) => state.name)).toEqual(["connecting", "live"]);
  });

  it("acknowledges frames together once they are shown, by the newest", () => {
    const { at, drawn } = aLink();
    at(0).open();
    at(0).say(HELLO);
    at(0).say(aSnapshot(4, [], []));
    at(0).say(aPatch(4, 6, []));
    expect(at(0).sent.filter((frame) => frame.t === "ack")).toEqual([]);
    for (const then of drawn) then();
    expect(at(0).sent.filter((frame) => frame.t === "ack")).toEqual([{ t: "ack", seq: 6 }]);
  });

  it("acknowledges a snapshot in parts by its last part only", () => {
    const { at, drawn } = aLink();
    at(0).open();
    at(0).say(aSnapshot(4, [], [], { part: 0, parts: 2 }));
    expect(drawn.length).toBe(0);
    at(0).say(aSnapshot(4, [], [], { part: 1, parts: 2 }));
    expect(drawn.length).toBe(1);
  });

  it("comes back after a loss and resumes where it stopped", () => {
    const { at, lines, states, setResume } = aLink();
    at(0).open();
    at(0).say(HELLO);
    setResume({ epoch: "e1", seq: 12 });
    at(0).drop();
    expect(states.at(-1)).toEqual({ name: "reconnecting", retryAt: Date.now() + 250 });
    vi.advanceTimersByTime(250);
    expect(lines.length).toBe(2);
    at(1).open();
    expect(at(1).sent[0]).toMatchObject({ resume: { epoch: "e1", seq: 12 } });
  });

  it("tries at once when the network comes back", () => {
    const { link, at, lines } = aLink();
    at(0).drop();
    link.wake();
    expect(lines.length).toBe(2);
  });

  it("does not come back after a refusal that would repeat itself", () => {
    const { at, lines, states } = aLink();
    at(0).drop(4406);
    vi.advanceTimersByTime(60_000);
    expect([lines.length, states.at(-1)]).toEqual([1, { name: "refused", code: 4406 }]);
  });

  it("shows a quarantine until it has ended, and says so if the service is away meanwhile", () => {
    const { at, lines, states } = aLink();
    at(0).open();
    at(0).drop(4423);
    const quarantine = { name: "refused", code: 4423 };
    expect(states.at(-1)).toEqual(quarantine);
    const look = (code: number): void => {
      vi.advanceTimersByTime(30_000);
      lines.at(-1)?.drop(code);
    };
    look(4423);
    expect(states.slice(-2)).toEqual([{ name: "connecting" }, quarantine]);
    look(1006);
    expect(states.at(-1)?.name).toBe("reconnecting");
    look(1013);
    expect(states.at(-1)?.name).toBe("reconnecting");
    look(4423);
    expect(states.at(-1)).toEqual(quarantine);
    vi.advanceTimersByTime(5_000);
    lines.at(-1)?.open();
    lines.at(-1)?.say(HELLO);
    expect(states.at(-1)).toEqual({ name: "live" });
  });

  it("waits as long as the service asks", () => {
    const { link, at, lines } = aLink();
    at(0).open();
    at(0).say({ t: "error", code: "too_many", message: "full", retry_s: 8 });
    at(0).drop(1013);
    link.wake();
    vi.advanceTimersByTime(7_900);
    expect(lines.length).toBe(1);
    vi.advanceTimersByTime(1_000);
    expect(lines.length).toBe(2);
  });

  it("gives up a line that says nothing for three pings", () => {
    const { at, states } = aLink();
    at(0).open();
    at(0).say(HELLO);
    vi.advanceTimersByTime(45_000);
    expect(states.at(-1)?.name).toBe("reconnecting");
  });

  it("asks for a snapshot when the graph cannot take a frame or a frame cannot be read", () => {
    const { at, drawn } = aLink("gap");
    at(0).open();
    at(0).say(aPatch(4, 6, []));
    at(0).say("{");
    expect(at(0).sent.slice(1)).toEqual([{ t: "resync", reason: "gap" }, { t: "resync", reason: "unreadable" }]);
    expect(drawn.length).toBe(0);
  });

  it("asks for another memory that was chosen while it was greeting", () => {
    const { link, at } = aLink();
    at(0).open();
    link.changeScope("alice");
    at(0).say(HELLO);
    expect(at(0).sent.at(-1)).toEqual({ t: "scope", user: "alice", budget: 800 });
  });

  it("passes over frames of a newer service", () => {
    const { at, frames } = aLink();
    at(0).open();
    at(0).say({ t: "weather" });
    expect([frames, at(0).sent.length]).toEqual([[], 1]);
  });
});

describe("waiting", () => {
  it("doubles its ceiling up to fifteen seconds and spreads evenly below it", () => {
    expect([0, 1, 2, 9, 50].map((attempt) => waitMs(attempt, 0.999999))).toEqual([500, 1000, 2000, 15000, 15000]);
    expect(waitMs(9, 0)).toBe(0);
  });
});
