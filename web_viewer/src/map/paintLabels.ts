/** Draw labels, markers of new elements and the keyboard cursor at screen size above the main canvas. */

import { onScreen, type Viewport } from "./layer";
import { type Box, cutLabel, type LabelWish, placeLabels } from "./labels";
import { ACCENT, GROUND, INK, MUTED, type Theme } from "./palette";
import type { NodeSize } from "./elements";
import type { Point } from "./place";

export const FONT = 'system-ui, "Noto Sans SC", "Noto Sans CJK SC", "PingFang SC", "Microsoft YaHei", sans-serif';

export interface LabelledNode {
  id: string;
  label: string;
  /** What it says where the label has no room. */
  short?: string;
  at: Point;
  size: NodeSize;
  /** Labels of higher priority are kept longer. */
  rank: number;
  forced: boolean;
  /** It is around what is selected, or on the way that is shown. */
  lit: boolean;
  strong: boolean;
  faint: boolean;
  /** Whether the label belongs above the node. */
  above: boolean;
}

interface Drawn {
  node: LabelledNode;
  text: string;
  dx: number;
  dy: number;
  width: number;
  height: number;
}

const AREA_PER_LABEL = 5_200;
/** Cells of a label that has no room as a whole. */
const SHORT_CELLS = 12;
/** Lowest rank of objects of facts. */
export const MATTERS = 2_000;

/** Keeps the same labels while the map moves, so that nothing flickers. */
export class LabelPainter {
  private drawn: Drawn[] = [];
  private readonly widths = new Map<string, number>();

  /** Choose the labels, and yield once between measuring and placing them. */
  *choose(pen: CanvasRenderingContext2D, view: Viewport, nodes: readonly LabelledNode[], obstacles: readonly Box[]): Generator<void, void> {
    const heights = { strong: fontPx(view.zoom, true), usual: fontPx(view.zoom, false) };
    const byId = new Map<string, LabelledNode>();
    const wishes: LabelWish[] = [];
    for (const node of [...nodes].sort((a, b) => b.rank - a.rank || (a.id < b.id ? -1 : 1))) {
      const at = onScreen(view, node.at);
      if (at.x < -60 || at.y < -40 || at.x > view.width + 60 || at.y > view.height + 40) continue;
      byId.set(node.id, node);
      wishes.push({
        id: node.id,
        ...at,
        halfWidth: (node.size.w * view.zoom) / 2,
        halfHeight: (node.size.h * view.zoom) / 2,
        width: this.width(pen, node, view.zoom, cutLabel(node.label)) + 4,
        height: (node.strong ? heights.strong : heights.usual) + 4,
        forced: node.forced,
        lit: node.lit,
        above: node.above,
        ...(node.rank < MATTERS ? {} : { shorter: () => this.width(pen, node, view.zoom, shortOf(node)) + 4 }),
      });
    }
    yield;
    const most = Math.ceil((view.width * view.height) / AREA_PER_LABEL);
    this.drawn = placeLabels(wishes, most, obstacles, { x: 0, y: 0, w: view.width, h: view.height }).map(({ id, dx, dy, isShort }) => {
      const node = byId.get(id) as LabelledNode;
      const text = isShort ? shortOf(node) : cutLabel(node.label);
      return { node, text, dx, dy, width: this.width(pen, node, view.zoom, text), height: fontPx(view.zoom, node.strong) };
    });
  }

  /** Return where the labels are, in screen pixels. */
  boxes(view: Viewport, place: (id: string) => Point | undefined): (Box & { id: string; text: string })[] {
    return this.drawn.flatMap(({ node, text, dx, dy, width: w, height: h }) => {
      const point = place(node.id);
      if (!point) return [];
      const at = onScreen(view, point);
      return [{ id: node.id, text, x: at.x + dx - w / 2, y: at.y + dy - h / 2, w, h }];
    });
  }

  paint(pen: CanvasRenderingContext2D, view: Viewport, place: (id: string) => Point | undefined, theme: Theme, dimmed: (id: string) => boolean): void {
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.lineJoin = "round";
    pen.strokeStyle = GROUND[theme];
    pen.lineWidth = 3.5;
    for (const { node, text, dx, dy } of this.drawn) {
      const point = place(node.id);
      if (!point) continue;
      const at = onScreen(view, point);
      pen.font = font(view.zoom, node.strong);
      pen.globalAlpha = dimmed(node.id) ? 0.25 : 1;
      pen.strokeText(text, at.x + dx, at.y + dy);
      pen.fillStyle = node.faint ? MUTED[theme] : INK[theme];
      pen.fillText(text, at.x + dx, at.y + dy);
    }
    pen.globalAlpha = 1;
  }

  private width(pen: CanvasRenderingContext2D, node: LabelledNode, zoom: number, text: string): number {
    const key = `${font(zoom, node.strong)} ${text}`;
    let width = this.widths.get(key);
    if (width === undefined) {
      pen.font = font(zoom, node.strong);
      width = pen.measureText(text).width;
      this.widths.set(key, width);
    }
    return width;
  }
}

function shortOf(node: LabelledNode): string {
  return node.short ?? cutLabel(node.label, SHORT_CELLS);
}

/** At least 11 px: an unreadable label is left out instead. */
function fontPx(zoom: number, strong: boolean): number {
  return Math.round(Math.min(15, Math.max(11.5, 12 * Math.sqrt(zoom))) + (strong ? 2 : 0));
}

function font(zoom: number, strong: boolean): string {
  return `${strong ? 650 : 450} ${fontPx(zoom, strong)}px ${FONT}`;
}

export function edgeWordsBox(pen: CanvasRenderingContext2D, at: Point, text: string): Box {
  pen.font = `500 11.5px ${FONT}`;
  const w = pen.measureText(text).width + 12;
  return { x: at.x - w / 2, y: at.y - 9, w, h: 18 };
}

/** Draw the label of one edge at its middle. */
export function paintEdgeWords(pen: CanvasRenderingContext2D, at: Point, text: string, colour: string, theme: Theme, struck: boolean): void {
  pen.font = `500 11.5px ${FONT}`;
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  const width = pen.measureText(text).width + 12;
  pen.fillStyle = GROUND[theme];
  pen.strokeStyle = colour;
  pen.lineWidth = 1;
  pen.beginPath();
  pen.roundRect(at.x - width / 2, at.y - 9, width, 18, 9);
  pen.fill();
  pen.stroke();
  pen.fillStyle = INK[theme];
  pen.fillText(text, at.x, at.y + 0.5);
  if (struck) pen.fillRect(at.x - width / 2 + 6, at.y, width - 12, 1);
}

export function paintNewMark(pen: CanvasRenderingContext2D, at: Point, theme: Theme): void {
  pen.beginPath();
  pen.arc(at.x, at.y, 4.5, 0, 2 * Math.PI);
  pen.fillStyle = ACCENT[theme];
  pen.strokeStyle = GROUND[theme];
  pen.lineWidth = 2;
  pen.fill();
  pen.stroke();
}

/** Draw a pin at the upper left of a pinned node. */
export function paintPin(pen: CanvasRenderingContext2D, at: Point, radius: number, theme: Theme): void {
  const [x, y] = [at.x - radius * 0.8, at.y - radius * 0.8];
  pen.beginPath();
  pen.moveTo(x, y + 5);
  pen.lineTo(x, y);
  pen.strokeStyle = INK[theme];
  pen.lineWidth = 1.5;
  pen.stroke();
  pen.beginPath();
  pen.arc(x, y - 2, 3, 0, 2 * Math.PI);
  pen.fillStyle = INK[theme];
  pen.fill();
}

export function paintCursor(pen: CanvasRenderingContext2D, at: Point, radius: number, theme: Theme): void {
  pen.beginPath();
  pen.arc(at.x, at.y, radius + 7, 0, 2 * Math.PI);
  pen.setLineDash([4, 3]);
  pen.strokeStyle = INK[theme];
  pen.lineWidth = 2;
  pen.stroke();
  pen.setLineDash([]);
}
