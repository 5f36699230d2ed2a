/** The whole map in small, with a frame around the visible part; a click moves there. */

import { onScreen, type Viewport } from "./layer";
import type { Point } from "./place";
import { ACCENT, GROUND, type Theme } from "./palette";

export interface OverviewScene {
  points: ReadonlyMap<string, Point>;
  shown: ReadonlyMap<string, { kind: string }>;
  colour(id: string): string;
}

const WIDTH = 168;
const HEIGHT = 112;
const PAD = 8;
const DOT = 1.6;

/** Return whether the window shows the whole map. */
export function allVisible(view: Viewport, extent: { from: Point; to: Point }): boolean {
  const [from, to] = [onScreen(view, extent.from), onScreen(view, extent.to)];
  return from.x >= 0 && from.y >= 0 && to.x <= view.width && to.y <= view.height;
}

export class Overview {
  private readonly pen: CanvasRenderingContext2D | null;
  /** The dots, drawn once for each change of the map; the frame moves above them. */
  private readonly dots = document.createElement("canvas");
  private scale = 1;
  private origin: Point = { x: 0, y: 0 };
  private empty = true;
  private extent: { from: Point; to: Point } = { from: { x: 0, y: 0 }, to: { x: 0, y: 0 } };

  constructor(
    private readonly canvas: HTMLCanvasElement,
    go: (at: Point) => void,
  ) {
    const ratio = window.devicePixelRatio || 1;
    for (const one of [canvas, this.dots]) [one.width, one.height] = [WIDTH * ratio, HEIGHT * ratio];
    this.pen = canvas.getContext("2d");
    this.pen?.scale(ratio, ratio);
    this.dots.getContext("2d")?.scale(ratio, ratio);
    const jump = (event: PointerEvent): void => {
      const box = canvas.getBoundingClientRect();
      if (event.buttons === 1) go(this.inMap({ x: event.clientX - box.left, y: event.clientY - box.top }));
    };
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      jump(event);
    });
    canvas.addEventListener("pointermove", jump);
  }

  /** Redraw after the map changed. */
  redraw(scene: OverviewScene): void {
    const pen = this.dots.getContext("2d");
    const all = [...scene.shown.keys()].flatMap((id) => {
      const point = scene.points.get(id);
      return point ? [{ id, point }] : [];
    });
    this.empty = all.length === 0;
    if (!pen || this.empty) return;
    this.fit(all.map((one) => one.point));
    pen.clearRect(0, 0, WIDTH, HEIGHT);
    for (const { id, point } of all) {
      const at = this.inBox(point);
      const r = scene.shown.get(id)?.kind === "User" ? DOT * 2 : DOT;
      pen.fillStyle = scene.colour(id);
      pen.fillRect(at.x - r, at.y - r, 2 * r, 2 * r);
    }
  }

  paint(view: Viewport, theme: Theme): void {
    const { pen } = this;
    if (!pen) return;
    // It would only cover what is there to see.
    this.canvas.classList.toggle("needless", !this.empty && allVisible(view, this.extent));
    pen.fillStyle = GROUND[theme];
    pen.fillRect(0, 0, WIDTH, HEIGHT);
    if (this.empty) return;
    pen.drawImage(this.dots, 0, 0, WIDTH, HEIGHT);
    const from = this.inBox({ x: -view.pan.x / view.zoom, y: -view.pan.y / view.zoom });
    const to = this.inBox({ x: (view.width - view.pan.x) / view.zoom, y: (view.height - view.pan.y) / view.zoom });
    pen.strokeStyle = ACCENT[theme];
    pen.lineWidth = 1.5;
    pen.strokeRect(Math.max(1, from.x), Math.max(1, from.y), Math.min(WIDTH - 1, to.x) - Math.max(1, from.x), Math.min(HEIGHT - 1, to.y) - Math.max(1, from.y));
  }

  private fit(points: readonly Point[]): void {
    let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
    for (const { x, y } of points) [left, top, right, bottom] = [Math.min(left, x), Math.min(top, y), Math.max(right, x), Math.max(bottom, y)];
    this.scale = Math.min((WIDTH - 2 * PAD) / Math.max(right - left, 1), (HEIGHT - 2 * PAD) / Math.max(bottom - top, 1));
    this.origin = { x: (left + right) / 2, y: (top + bottom) / 2 };
    this.extent = { from: { x: left, y: top }, to: { x: right, y: bottom } };
  }

  private inBox(point: Point): Point {
    return { x: WIDTH / 2 + (point.x - this.origin.x) * this.scale, y: HEIGHT / 2 + (point.y - this.origin.y) * this.scale };
  }

  private inMap(at: Point): Point {
    return { x: this.origin.x + (at.x - WIDTH / 2) / this.scale, y: this.origin.y + (at.y - HEIGHT / 2) / this.scale };
  }
}
