/** The relation's word on the line of a fact, at a zoom for reading, where nothing else is. */

import { linkWords } from "../graph/facts";
import { groupAt } from "../graph/groups";
import type { Words } from "../i18n/words";
import type { GraphEdge, GraphNode } from "../protocol/frames";
import type { Shown } from "../view/filters";
import { type Box, BoxGrid, cutLabel } from "./labels";
import type { Viewport } from "./layer";
import { FONT } from "./paintLabels";
import { GROUND, MUTED, type Theme } from "./palette";
import type { Point } from "./place";

export interface LineWord {
  id: string;
  text: string;
  /** Share of the way from the middle of the line to its target: away from a person, whose lines meet. */
  off: number;
}

/** Beginning of the ids of links between people whose memories have things of one name, which are asked for and always have words. */
export const SAME_NAME = "n:";
const READING_ZOOM = 0.8;
const WORDS_MAX = 80;
const CELLS = 18;
const LINE_FONT = `450 11px ${FONT}`;
const HIGH = 14;
const AWAY = 0.2;
/** A shorter line would be covered by its word. */
const LENGTH_MIN = 70;

/** Return the word for a line: the relation, the names that two people have, or that somebody avoids the thing; null where the line says it all. */
export function lineWord(edge: GraphEdge, nodes: ReadonlyMap<string, GraphNode>, words: Words): string | null {
  if (edge.predicate === "TIES") return edge.id.startsWith(SAME_NAME) ? edge.relation : null;
  if (edge.relation) return linkWords(edge, words);
  return groupAt(edge, nodes) === "avoids" ? words.group("avoids") : null;
}

function spotOf({ id, off }: Pick<LineWord, "id" | "off">, target: string | undefined, place: (id: string) => Point | undefined): Point | undefined {
  const [at, to] = [place(id), target === undefined ? undefined : place(target)];
  return at && to && off !== 0 ? { x: at.x + (to.x - at.x) * off, y: at.y + (to.y - at.y) * off } : at;
}

/** Choose the words that have room in the middle of their lines, those of strong facts first. */
export function chooseLineWords(
  pen: CanvasRenderingContext2D,
  view: Viewport,
  { nodes, edges }: Shown,
  place: (id: string) => Point | undefined,
  word: (edge: GraphEdge) => string | null,
  taken: readonly Box[],
): LineWord[] {
  const isNear = view.zoom >= READING_ZOOM;
  const grid = new BoxGrid();
  for (const box of taken) grid.add(box, "");
  for (const id of nodes.keys()) {
    const at = place(id);
    if (at) grid.add({ x: at.x - 12, y: at.y - 12, w: 24, h: 24 }, "");
  }
  const found: LineWord[] = [];
  pen.font = LINE_FONT;
  for (const edge of [...edges.values()].sort((a, b) => b.strength - a.strength || (a.id < b.id ? -1 : 1))) {
    if (found.length >= WORDS_MAX) break;
    if (!isNear && !edge.id.startsWith(SAME_NAME)) continue;
    const off = (nodes.get(edge.source)?.kind === "User" ? AWAY : 0) - (nodes.get(edge.target)?.kind === "User" ? AWAY : 0);
    const [at, from, to] = [spotOf({ id: edge.id, off }, edge.target, place), place(edge.source), place(edge.target)];
    if (edge.predicate === "MENTIONED" || !at || !from || !to || at.x < 0 || at.y < 0 || at.x > view.width || at.y > view.height) continue;
    const full = Math.hypot(to.x - from.x, to.y - from.y) < LENGTH_MIN ? null : word(edge);
    if (full === null) continue;
    const text = cutLabel(full, CELLS);
    const w = pen.measureText(text).width + 6;
    const box = { x: at.x - w / 2, y: at.y - HIGH / 2, w, h: HIGH };
    if (!grid.free(box, edge.id)) continue;
    grid.add(box, edge.id);
    found.push({ id: edge.id, text, off });
  }
  return found;
}

export function paintLineWords(pen: CanvasRenderingContext2D, view: Viewport, words: readonly LineWord[], targets: Shown["edges"], place: (id: string) => Point | undefined, theme: Theme, dimmed: (id: string) => boolean): void {
  pen.font = LINE_FONT;
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.lineJoin = "round";
  pen.lineWidth = 4;
  pen.strokeStyle = GROUND[theme];
  pen.fillStyle = MUTED[theme];
  for (const word of words) {
    const at = spotOf(word, targets.get(word.id)?.target, place);
    if (!at || dimmed(word.id) || (view.zoom < READING_ZOOM && !word.id.startsWith(SAME_NAME))) continue;
    pen.strokeText(word.text, at.x, at.y);
    pen.fillText(word.text, at.x, at.y);
  }
}
