/** Draw highlights on top of the map: the keyboard cursor, markers of new elements, and edge labels. */

import type { Core, SingularElementReturnValue } from "cytoscape";
import { ACCENT, COMMUNITIES, RECALLED, type Theme } from "./palette";
import { type Box, overlap } from "./labels";
import { edgeWordsBox, paintCursor, paintEdgeWords, paintNewMark, paintPin } from "./paintLabels";
import type { Point } from "./place";
import type { Marks } from "./pointOut";

const WORDS_MAX = 9;
const WORDS_AIR = 2;
/** Ranks in the label of one ring. */
const RANKS_MAX = 3;

export interface MarkScene {
  cy: Core;
  marks: Marks;
  pins: ReadonlySet<string>;
  hovered: string | null;
  theme: Theme;
  /** In screen pixels. */
  place(id: string): Point | undefined;
  words(id: string): { text: string; struck: boolean } | null;
  colour(id: string): string;
}

export function paintMarks(pen: CanvasRenderingContext2D, scene: MarkScene): void {
  for (const { id, at, text, struck } of wordSpots(pen, scene)) paintEdgeWords(pen, at, text, scene.colour(id), scene.theme, struck);
  for (const id of scene.marks.fresh) {
    const drawn = scene.cy.getElementById(id);
    if (drawn.empty() || drawn.hasClass("dim")) continue;
    const at = scene.place(id);
    if (at) paintNewMark(pen, cornerOf(scene, id, at), scene.theme);
  }
  for (const id of scene.pins) {
    const at = scene.cy.getElementById(id).nonempty() ? scene.place(id) : undefined;
    if (at) paintPin(pen, at, radiusOf(scene, id), scene.theme);
  }
  for (const [id, colour] of scene.marks.others) {
    const at = scene.cy.getElementById(id).nonempty() ? scene.place(id) : undefined;
    if (at) paintOther(pen, at, radiusOf(scene, id), colourOf(colour, scene.theme));
  }
  for (const [id, ranks] of scene.marks.recalled ?? []) {
    const drawn = scene.cy.getElementById(id);
    // The object of a fact shows the rank of the fact; its subject is a person, who has many facts.
    if (drawn.empty() || (drawn.isEdge() && isRankedAtEnd(scene, drawn, ranks))) continue;
    const at = scene.place(id);
    if (at) paintRecalled(pen, at, radiusOf(scene, id), drawn.isNode() && drawn.data("kind") === "User" ? [] : ranks, scene.theme);
  }
  const cursor = scene.marks.cursor;
  const at = cursor === null || scene.cy.getElementById(cursor).empty() ? undefined : scene.place(cursor);
  if (cursor !== null && at) paintCursor(pen, at, radiusOf(scene, cursor), scene.theme);
}

function isRankedAtEnd(scene: MarkScene, edge: SingularElementReturnValue, ranks: readonly number[]): boolean {
  const ends = edge.connectedNodes().toArray().filter((end) => end.data("kind") !== "User");
  return ends.some((end) => ranks.every((rank) => scene.marks.recalled?.get(end.id())?.includes(rank)));
}

function colourOf(number: number, theme: Theme): string {
  const all = COMMUNITIES[theme];
  return all[number % all.length] ?? ACCENT[theme];
}

/** Mark the selection of another viewer with four corners; one's own has a ring. */
function paintOther(pen: CanvasRenderingContext2D, at: Point, radius: number, colour: string): void {
  const far = radius + 9;
  const leg = 7;
  pen.strokeStyle = colour;
  pen.lineWidth = 2.5;
  pen.beginPath();
  for (const [x, y] of [[-1, -1], [1, -1], [1, 1], [-1, 1]] as const) {
    pen.moveTo(at.x + x * far, at.y + y * (far - leg));
    pen.lineTo(at.x + x * far, at.y + y * far);
    pen.lineTo(at.x + x * (far - leg), at.y + y * far);
  }
  pen.stroke();
}

/** Mark what a question recalled: a ring, thicker for the first hits, and the ranks of the hits that it shows. */
function paintRecalled(pen: CanvasRenderingContext2D, at: Point, radius: number, ranks: readonly number[], theme: Theme): void {
  const rank = ranks[0] ?? null;
  const colour = RECALLED[theme];
  const far = radius + 6;
  pen.strokeStyle = colour;
  pen.lineWidth = rank === null || rank > 3 ? 2.5 : 4;
  pen.beginPath();
  pen.arc(at.x, at.y, far, 0, 2 * Math.PI);
  pen.stroke();
  if (rank === null) return;
  const corner = { x: at.x + far * 0.72, y: at.y - far * 0.72 };
  const text = ranks.slice(0, RANKS_MAX).join(" · ") + (ranks.length > RANKS_MAX ? " …" : "");
  pen.font = "700 11px system-ui, sans-serif";
  const half = Math.max(8, pen.measureText(text).width / 2 + 4);
  pen.fillStyle = colour;
  pen.beginPath();
  pen.roundRect(corner.x - half, corner.y - 8, 2 * half, 16, 8);
  pen.fill();
  pen.fillStyle = theme === "dark" ? "#14181f" : "#ffffff";
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.fillText(text, corner.x, corner.y + 0.5);
}

type WordScene = Pick<MarkScene, "cy" | "marks" | "hovered" | "place" | "words">;

/** Return the areas of the relation labels, which other labels avoid. */
export function wordBoxes(pen: CanvasRenderingContext2D, scene: WordScene): Box[] {
  return wordSpots(pen, scene).map(({ at, text }) => edgeWordsBox(pen, at, text));
}

/** Return the relation labels with their middles: at the middle of the edge, or below those of parallel edges that are there. */
function wordSpots(pen: CanvasRenderingContext2D, scene: WordScene): { id: string; at: Point; text: string; struck: boolean }[] {
  const spots = worded(scene).flatMap((id) => {
    const [at, words] = [scene.place(id), scene.words(id)];
    return at && words ? [{ id, at: { ...at }, ...words }] : [];
  });
  const taken: Box[] = [];
  for (const { at, text } of spots.sort((a, b) => a.at.y - b.at.y)) {
    let box = edgeWordsBox(pen, at, text);
    // From top to bottom, so that each step down passes one of them for good.
    for (let other = blocking(box, taken); other; other = blocking(box, taken)) {
      at.y += other.y + other.h + WORDS_AIR - box.y;
      box = edgeWordsBox(pen, at, text);
    }
    taken.push(box);
  }
  return spots;
}

function blocking(box: Box, taken: readonly Box[]): Box | undefined {
  return taken.find((other) => overlap(box, other));
}

/** Return the hovered edge, or the edges of the hovered node if there are few. */
export function worded(scene: Pick<MarkScene, "cy" | "marks" | "hovered">): string[] {
  const focus = scene.hovered ?? scene.marks.selected;
  if (focus === null) return [];
  const element = scene.cy.getElementById(focus);
  if (element.empty()) return [];
  if (element.group() === "edges") return [focus];
  const links = scene.cy.getElementById(focus).connectedEdges('[predicate != "MENTIONED"]');
  return links.length <= WORDS_MAX ? links.map((link) => link.id()) : [];
}

function radiusOf(scene: MarkScene, id: string): number {
  const element = scene.cy.getElementById(id);
  return element.nonempty() && element.isNode() ? element.renderedOuterWidth() / 2 : 8;
}

function cornerOf(scene: MarkScene, id: string, at: Point): Point {
  const element = scene.cy.getElementById(id);
  if (element.empty() || !element.isNode()) return at;
  const away = radiusOf(scene, id) * 0.75;
  return { x: at.x + away, y: at.y - away };
}
