import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { applyFrame, EMPTY_STATE } from "../src/graph/reduce";
import { copyKey, copyOf, frameOf, KEPT_MS, type MapCopy, mayShow, placesOf } from "../src/offline/copy";
import { CopySync } from "../src/offline/copySync";
import { assetsIn, partOfPage } from "../src/offline/shell";
import type { CopyStorage } from "../src/offline/copyStorage";
import { aNode, anEdge, aPatch, aSnapshot } from "./builders";

const HELD = applyFrame(EMPTY_STATE, aSnapshot(7, [aNode("u"), aNode("a")], [anEdge("r", "u", "a"), anEdge("w", "u", "late")])).state;
const OPEN = { holder: null, untilMs: null };
const SCOPE = { tenant: "t", user: null, places: { map: [["a", [3, 4, 1]] as [string, number[]]] } };

class Drawer implements CopyStorage {
  readonly held = new Map<string, MapCopy>();
  async get(tenant: string, user: string | null): Promise<MapCopy | null> {
    return this.held.get(copyKey(tenant, user)) ?? null;
  }
  async put(copy: MapCopy): Promise<void> {
    this.held.set(copyKey(copy.tenant, copy.user), copy);
  }
  async keepOnly(passes: (copy: MapCopy) => boolean): Promise<void> {
    for (const [key, copy] of this.held) if (!passes(copy)) this.held.delete(key);
  }
}

function aCopySync(storage: CopyStorage, tenant = "t"): CopySync {
  return new CopySync(storage, () => ({ graph: HELD, ...SCOPE, tenant }), () => Date.now());
}

beforeEach(() => void vi.useFakeTimers({ now: Date.parse("2026-03-01T12:00:00Z") }));
afterEach(() => void vi.useRealTimers());

describe("a copy of the map", () => {
  it("comes back as the same graph, marked as old, from which patches lead on", () => {
    const copy = copyOf(HELD, SCOPE, OPEN, Date.now());
    const back = applyFrame(EMPTY_STATE, frameOf(copy as MapCopy)).state;
    expect([back.nodes, back.edges, back.waiting, back.seq, back.epoch]).toEqual([HELD.nodes, HELD.edges, HELD.waiting, 7, "e1"]);
    expect([back.stale, back.asOf]).toEqual([true, "2026-03-01T12:00:00.000Z"]);
    expect(placesOf(copy as MapCopy)).toEqual({ t: "places", user: null, seq: 0, whole: true, places: SCOPE.places });
    const on = applyFrame(back, aPatch(7, 8, [["node+", aNode("late")]]));
    expect([on.resync, on.state.stale, on.state.edges.has("w")]).toEqual([null, false, true]);
  });

  it("is made neither of nothing nor of another copy", () => {
    expect(copyOf(EMPTY_STATE, SCOPE, OPEN, 0)).toBeNull();
    expect(copyOf({ ...HELD, stale: true }, SCOPE, OPEN, 0)).toBeNull();
  });

  it("is shown until the access ends that it was made with, and for a month at most", () => {
    const copy = copyOf(HELD, SCOPE, { holder: "h", untilMs: 5_000 }, 1_000) as MapCopy;
    expect([mayShow(copy, 4_999), mayShow(copy, 5_000)]).toEqual([true, false]);
    const lasting = { ...copy, untilMs: null };
    expect([mayShow(lasting, 1_000 + KEPT_MS), mayShow(lasting, 1_001 + KEPT_MS)]).toEqual([true, false]);
    expect(mayShow({ ...lasting, form: 0 }, 1_000)).toBe(false);
  });
});

describe("keeping copies", () => {
  it("saves soon after the first change and then at most every fifteen seconds", async () => {
    const storage = new Drawer();
    const put = vi.spyOn(storage, "put");
    const sync = aCopySync(storage);
    await sync.meet(null, null);
    for (let change = 0; change < 60; change += 1) {
      sync.note();
      await vi.advanceTimersByTimeAsync(500);
    }
    expect(put).toHaveBeenCalledTimes(2);
  });

  it("keeps nothing before the service said for whom", async () => {
    const storage = new Drawer();
    const sync = aCopySync(storage);
    await sync.save();
    expect(storage.held.size).toBe(0);
  });

  it("shows nobody what another person or another tenant saw", async () => {
    const storage = new Drawer();
    const sync = aCopySync(storage);
    await sync.meet("ann", null);
    await sync.save();
    expect((await sync.last("t", null))?.holder).toBe("ann");
    expect(await sync.last("other", null)).toBeNull();
    expect(await sync.last("t", "u")).toBeNull();
    await aCopySync(storage).meet("bob", null);
    expect(storage.held.size).toBe(0);
  });

  it("drops what it keeps of one memory, and what was on its way, when that is in quarantine", async () => {
    const storage = new Drawer();
    const [here, elsewhere] = [aCopySync(storage), aCopySync(storage, "other")];
    for (const sync of [here, elsewhere]) {
      await sync.meet(null, null);
      await sync.save();
    }
    here.note();
    await here.drop("t");
    await vi.advanceTimersByTimeAsync(60_000);
    expect([...storage.held.keys()]).toEqual([copyKey("other", null)]);
  });

  it("keeps nothing after leaving, not even what was on its way", async () => {
    const storage = new Drawer();
    const sync = aCopySync(storage);
    await sync.meet("ann", null);
    sync.note();
    await sync.clear();
    sync.note();
    await vi.advanceTimersByTimeAsync(60_000);
    await sync.save();
    expect(storage.held.size).toBe(0);
    sync.reopen();
    await sync.save();
    expect(storage.held.size).toBe(1);
  });

  it("costs nothing but the copy where the browser keeps none", async () => {
    const refusing: CopyStorage = { get: () => Promise.reject(new Error("no")), put: () => Promise.reject(new Error("no")), keepOnly: () => Promise.reject(new Error("no")) };
    const sync = aCopySync(refusing);
    await sync.meet(null, null);
    await sync.save();
    expect(await sync.last("t", null)).toBeNull();
  });
});

describe("the kept page", () => {
  const home = "http://127.0.0.1:7780/";

  it("is the page and its files, and never what is remembered", () => {
    expect(["", "?tenant=a", "index.html", "assets/index-1.js", "mark.svg"].map((path) => partOfPage(home + path, home))).toEqual(["page", "page", "page", "file", "file"]);
    expect(["api/snapshot", "graphql", "live", "sw.js", "api/assets/x"].map((path) => partOfPage(home + path, home))).toEqual([null, null, null, null, null]);
    expect(partOfPage("http://127.0.0.1:9/assets/x.js", home)).toBeNull();
  });

  it("has the files that the page names", () => {
    const html = '<link rel="icon" href="./mark.svg" /><script type="module" crossorigin src="./assets/index-1.js"></script><link rel="stylesheet" href="assets/index-2.css">';
    expect(assetsIn(html, home)).toEqual([`${home}mark.svg`, `${home}assets/index-1.js`, `${home}assets/index-2.css`]);
  });
});
