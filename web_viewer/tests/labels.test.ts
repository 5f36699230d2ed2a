import { allVisible } from "../src/map/overview";
import { describe, expect, it, vi } from "vitest";
import { cellsOf, cutLabel, cutNames, type LabelWish, placeLabels, withNote } from "../src/map/labels";
import { dice } from "./builders";

function aWish(id: string, x: number, y: number, forced = false): LabelWish {
  return { id, x, y, halfWidth: 8, halfHeight: 8, width: 80, height: 16, forced };
}

describe("cutting labels", () => {
  it("keeps twenty-four Latin or twelve Chinese cells", () => {
    expect(cutLabel("abcdefghijklmnopqrstuvwxyz")).toBe("abcdefghijklmnopqrstuvwx…");
    expect(cutLabel("一二三四五六七八九十甲乙丙丁")).toBe("一二三四五六七八九十甲乙…");
    expect(cutLabel("一二三四五六七八九十甲乙")).toBe("一二三四五六七八九十甲乙");
  });

  it("never cuts a sign in two", () => {
    expect(cutLabel("👩‍👩‍👧‍👦👩‍👩‍👧‍👦", 2)).toBe("👩‍👩‍👧‍👦…");
  });

  it("cuts as a whole what only looks like a name with a note", () => {
    const label = withNote("a", "b".repeat(300));
    expect(cutLabel(label)).toBe(`${label.slice(0, 24)}…`);
  });
});

describe("cutting lists of names", () => {
  it.each([
    ["jasmine tea · Oliver · mountain climbing", "jasmine tea · Oliver …"],
    ["弹钢琴 · 山路 · 海港的灯笼 · 茶", "弹钢琴 · 山路 …"],
    ["jasmine tea · Oliver", "jasmine tea · Oliver"],
    ["a very long name of one thing · Oliver", "a very long name of one…"],
  ])("shows only whole names of %s", (names, shown) => {
    expect(cutNames(names)).toBe(shown);
  });
});

describe("splitting into graphemes", () => {
  it("takes no segmenter for Latin and Chinese names with the dot between them", () => {
    const segment = vi.spyOn(Intl.Segmenter.prototype, "segment");
    expect(cellsOf("café · 山路，钢琴 “é” – …")).toBe(25);
    cutNames("a long name of one · 海港的灯笼 · Zürich");
    expect(segment).not.toHaveBeenCalled();
    expect(cellsOf("e\u0301")).toBe(1);
    expect(segment).toHaveBeenCalled();
    segment.mockRestore();
  });

  it("finds each sign of such names to be one grapheme", () => {
    const codes = [[0x20, 0x7e], [0xa0, 0xff], [0x2013, 0x201d], [0x2026, 0x2026], [0x3000, 0x3029], [0x3400, 0x9fff], [0xff00, 0xff60]] as const;
    const signs = codes.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, index) => String.fromCharCode(from + index)));
    const found = Array.from(new Intl.Segmenter().segment(signs.join("")), (part) => part.segment);
    expect(found).toEqual(signs);
  });
});

describe("placing labels", () => {
  it("covers no other label and no node", () => {
    const roll = dice(3);
    const wishes = Array.from({ length: 300 }, (_, index) => aWish(`n${index}`, roll() * 900, roll() * 600));
    const at = new Map(wishes.map((wish) => [wish.id, wish]));
    const boxes = placeLabels(wishes, 200).map(({ id, dx, dy }) => ({ x: at.get(id)!.x + dx - 40, y: at.get(id)!.y + dy - 8 }));
    expect(boxes.length).toBeGreaterThan(20);
    for (const [index, a] of boxes.entries()) {
      for (const b of boxes.slice(0, index)) expect(Math.abs(a.x - b.x) >= 80 || Math.abs(a.y - b.y) >= 16).toBe(true);
    }
  });

  it("shortens what matters rather than leave it out, without covering anything", () => {
    const hemmed = [aWish("long", 100, 100), ...[[20, 100], [180, 100], [100, 84], [70, 114]].map(([x, y], index) => ({ ...aWish(`other${index}`, x!, y!), width: 900 }))];
    const room = { x: 0, y: 0, w: 300, h: 300 };
    expect(placeLabels(hemmed, 9, [], room)).toEqual([]);
    const [placed] = placeLabels([{ ...hemmed[0]!, shorter: () => 30 }, ...hemmed.slice(1)], 9, [], room);
    expect(placed).toMatchObject({ id: "long", isShort: true });
    expect(placeLabels([{ ...aWish("free", 100, 100), shorter: () => 30 }], 9, [], room)[0]?.isShort).toBe(false);
  });

  it("always labels what is pointed out", () => {
    const wishes = Array.from({ length: 40 }, (_, index) => aWish(`n${index}`, 50, 50, index === 39));
    expect(placeLabels(wishes, 1).map((label) => label.id)).toContain("n39");
  });

  it("labels whatever has room in focus, by importance, and of the rest no more than a number", () => {
    const apart = Array.from({ length: 40 }, (_, index) => ({ ...aWish(`n${index}`, 100 * (index % 8), 60 * Math.floor(index / 8)), lit: index < 30 }));
    expect(placeLabels(apart, 5).map((label) => label.id)).toEqual(apart.slice(0, 30).map((wish) => wish.id));
    const crowded = Array.from({ length: 40 }, (_, index) => ({ ...aWish(`n${index}`, 8 * index, 50), lit: true }));
    const placed = placeLabels(crowded, 5).map((label) => label.id);
    expect([placed[0], placed.length < 20]).toEqual(["n0", true]);
  });

  it("sticks out of the window only for what is pointed out", () => {
    const room = { x: 0, y: 0, w: 200, h: 200 };
    expect(placeLabels([aWish("edge", 20, 100)], 9, [], room)[0]?.dx).toBeGreaterThan(0);
    expect(placeLabels([aWish("corner", 4, 199)], 9, [], { ...room, w: 60 })).toEqual([]);
    expect(placeLabels([aWish("corner", 4, 199, true)], 9, [], { ...room, w: 60 }).length).toBe(1);
  });

  it("prefers the spot above for a badge, whose person is below it", () => {
    const [label] = placeLabels([{ ...aWish("badge", 100, 100, true), above: true }], 1, [{ x: 0, y: 90, w: 300, h: 60 }]);
    expect(label?.dy).toBeLessThan(0);
  });

  it("keeps clear of obstacles", () => {
    const [label] = placeLabels([aWish("n", 100, 100)], 1, [{ x: 0, y: 109, w: 300, h: 30 }]);
    expect(label?.dy).toBe(0);
  });
});

describe("the small map", () => {
  const extent = { from: { x: -100, y: -50 }, to: { x: 100, y: 50 } };

  it("is needed only when the window does not show everything", () => {
    expect(allVisible({ zoom: 1, pan: { x: 200, y: 100 }, width: 400, height: 200 }, extent)).toBe(true);
    expect(allVisible({ zoom: 3, pan: { x: 200, y: 100 }, width: 400, height: 200 }, extent)).toBe(false);
    expect(allVisible({ zoom: 1, pan: { x: 40, y: 100 }, width: 400, height: 200 }, extent)).toBe(false);
  });
});
