/** Choose and place labels: cut to a width, without overlap, highest priority first. */

export const LABEL_CELLS = 24;

const WIDE = /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]|\p{Extended_Pictographic}/u;

/** Separates a name from a note that is never cut, such as a date; no-break spaces, unlike those around a dot in a name. */
const NOTE = "\u00A0·\u00A0";
/** A longer note, which nothing but a name can contain, is cut with the name. */
const NOTE_MAX = 20;
/** Cells of a name beside a note, which has its own room. */
export const NOTED_CELLS = 18;

/** Parts the names of a community, as the service lists them. */
const NAMES_PARTED = " · ";
const MORE_NAMES = " …";

export function withNote(name: string, note: string): string {
  return name + NOTE + note;
}

/** Cut to a number of cells, before a note; a Chinese character takes two. */
export function cutLabel(text: string, cells: number = LABEL_CELLS): string {
  const noteAt = text.lastIndexOf(NOTE);
  return noteAt < 0 || text.length - noteAt > NOTE_MAX ? cut(text, cells) : cut(text.slice(0, noteAt), Math.min(cells, NOTED_CELLS)) + text.slice(noteAt);
}

/** Cut a list of names between two of them, so that none is shown in part; the first is cut if it has not enough room alone. */
export function cutNames(names: string, cells: number = LABEL_CELLS): string {
  if (cellsOf(names) <= cells) return names;
  const all = names.split(NAMES_PARTED);
  let kept = "";
  for (const name of all) {
    const longer = kept === "" ? name : kept + NAMES_PARTED + name;
    if (cellsOf(longer + MORE_NAMES) > cells) break;
    kept = longer;
  }
  return kept === "" ? cut(names, cells) : kept + MORE_NAMES;
}

function cut(text: string, cells: number): string {
  if (isPlain(text)) return text.length <= cells ? text : `${text.slice(0, cells).trimEnd()}…`;
  let used = 0;
  let kept = "";
  for (const sign of graphemes(text)) {
    used += WIDE.test(sign) ? 2 : 1;
    if (used > cells) return `${kept.trimEnd()}…`;
    kept += sign;
  }
  return kept;
}

/** Return the width of a text in cells; a Chinese character takes two. */
export function cellsOf(text: string): number {
  if (isPlain(text)) return text.length;
  let used = 0;
  for (const sign of graphemes(text)) used += WIDE.test(sign) ? 2 : 1;
  return used;
}

/** Return whether every character is one grapheme of one cell, so that a label need not be split. */
function isPlain(text: string): boolean {
  return /^[\x20-\x7E]*$/.test(text);
}

/** Latin and Chinese text in which each character is a grapheme, with the dot between names: the segmenter takes 100 times as long. */
const SINGLE = /^[\x20-\x7E\xA0-\xFF\u2013-\u201D\u2026\u3000-\u3029\u3400-\u9FFF\uFF00-\uFF60]*$/;

let segmenter: Intl.Segmenter | undefined;

function graphemes(text: string): Iterable<string> {
  if (SINGLE.test(text) || typeof Intl.Segmenter !== "function") return text;
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  return Array.from(segmenter.segment(text), (part) => part.segment);
}

export interface Box {
  x: number;
  y: number;
  w: number;
  h: number;
}

export interface LabelWish {
  id: string;
  /** Screen position and half size of the node. */
  x: number;
  y: number;
  halfWidth: number;
  halfHeight: number;
  width: number;
  height: number;
  /** Selected nodes keep their label even if it overlaps. */
  forced: boolean;
  /** In focus: labelled wherever there is room, however many are. */
  lit?: boolean;
  /** Prefer the spot above. */
  above?: boolean;
  /** Measure a shorter text, for a label that matters and has no room as a whole. */
  shorter?: () => number;
}

export interface PlacedLabel {
  id: string;
  /** Centre of the text, relative to the node, in screen pixels. */
  dx: number;
  dy: number;
  isShort?: boolean;
}

const CELL = 48;
/** Distance of the keys of two columns: far more rows than a screen has. Cells that share a key cost time only. */
const COLUMN = 2 ** 20;
const AIR = 3;

/**
 * Place labels in one greedy pass over a grid.
 *
 * @param wishes highest priority first.
 * @param most maximum number of labels, without those in focus.
 * @param obstacles areas that no label may cover.
 * @param room area that no label may leave.
 */
export function placeLabels(wishes: readonly LabelWish[], most: number, obstacles: readonly Box[] = [], room?: Box): PlacedLabel[] {
  const taken = new BoxGrid();
  for (const box of obstacles) taken.add(box, "");
  for (const wish of wishes) taken.add({ x: wish.x - wish.halfWidth, y: wish.y - wish.halfHeight, w: wish.halfWidth * 2, h: wish.halfHeight * 2 }, wish.id);
  const placed: PlacedLabel[] = [];
  for (const wish of wishes) {
    if (placed.length >= most && !wish.forced && !wish.lit) continue;
    const fits = (box: Box): boolean => (room === undefined || inside(box, room)) && taken.free(box, wish.id);
    const spotFor = (one: LabelWish) => spotsAround(one).find(({ dx, dy }) => fits(labelBox(one, dx, dy)));
    let chosen = wish;
    let spot = spotFor(wish) ?? (wish.forced ? spotsAround(wish)[0] : undefined);
    if (!spot && wish.shorter) {
      chosen = { ...wish, width: wish.shorter() };
      spot = spotFor(chosen);
    }
    if (!spot) continue;
    taken.add(labelBox(chosen, spot.dx, spot.dy), wish.id);
    placed.push({ id: wish.id, ...spot, isShort: chosen !== wish });
  }
  return placed;
}

function spotsAround(wish: LabelWish): { dx: number; dy: number }[] {
  const down = wish.halfHeight + wish.height / 2 + AIR;
  const side = wish.halfWidth + wish.width / 2 + AIR + 2;
  const beside = [
    { dx: side, dy: 0 },
    { dx: -side, dy: 0 },
  ];
  const [below, above] = [{ dx: 0, dy: down }, { dx: 0, dy: -down }];
  return wish.above ? [above, ...beside, below] : [below, ...beside, above];
}

function labelBox(wish: LabelWish, dx: number, dy: number): Box {
  return { x: wish.x + dx - wish.width / 2, y: wish.y + dy - wish.height / 2, w: wish.width, h: wish.height };
}

export class BoxGrid {
  private readonly cells = new Map<number, { box: Box; owner: string }[]>();

  add(box: Box, owner: string): void {
    for (const key of this.keys(box)) {
      const cell = this.cells.get(key);
      if (cell) cell.push({ box, owner });
      else this.cells.set(key, [{ box, owner }]);
    }
  }

  free(box: Box, owner: string): boolean {
    for (const key of this.keys(box)) {
      for (const other of this.cells.get(key) ?? []) {
        if (other.owner !== owner && overlap(box, other.box)) return false;
      }
    }
    return true;
  }

  private keys(box: Box): number[] {
    const found: number[] = [];
    for (let column = Math.floor(box.x / CELL); column <= Math.floor((box.x + box.w) / CELL); column += 1) {
      for (let row = Math.floor(box.y / CELL); row <= Math.floor((box.y + box.h) / CELL); row += 1) found.push(column * COLUMN + row);
    }
    return found;
  }
}

function inside(box: Box, room: Box): boolean {
  return box.x >= room.x && box.y >= room.y && box.x + box.w <= room.x + room.w && box.y + box.h <= room.y + room.h;
}

export function overlap(a: Box, b: Box): boolean {
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}
