/** Draw rings around new elements on a canvas of their own, independent of the main canvas. */

import { Layer, onScreen, type Viewport } from "./layer";
import type { Point } from "./place";

export const PULSE_MS = 1_200;

export interface PulseSource {
  view(): Viewport;
  /** Return the position of a node or of the middle of an edge, in map units. */
  place(id: string): Point | undefined;
  colour(id: string): string;
  /** Draw a dot until the main canvas has the element. */
  pending(id: string): boolean;
}

export class Pulses {
  private readonly begun = new Map<string, number>();
  private running = false;

  constructor(
    private readonly layer: Layer,
    private readonly source: PulseSource,
  ) {}

  start(ids: Iterable<string>): void {
    const now = performance.now();
    for (const id of ids) this.begun.set(id, now);
    if (this.running || this.begun.size === 0) return;
    this.running = true;
    requestAnimationFrame((at) => this.frame(at));
  }

  private frame(now: number): void {
    const view = this.source.view();
    this.layer.draw((pen) => {
      for (const [id, start] of this.begun) {
        const share = (now - start) / PULSE_MS;
        const point = this.source.place(id);
        if (share >= 1 || !point) this.begun.delete(id);
        else this.ring(pen, id, onScreen(view, point), Math.max(0, share), view.zoom);
      }
    });
    this.running = this.begun.size > 0;
    if (this.running) requestAnimationFrame((at) => this.frame(at));
  }

  private ring(pen: CanvasRenderingContext2D, id: string, at: Point, share: number, zoom: number): void {
    const colour = this.source.colour(id);
    const eased = 1 - (1 - share) ** 3;
    pen.globalAlpha = 1 - share;
    pen.strokeStyle = colour;
    pen.lineWidth = 3 * (1 - share) + 0.5;
    pen.beginPath();
    pen.arc(at.x, at.y, 8 + 14 * Math.sqrt(zoom) + 30 * eased, 0, 2 * Math.PI);
    pen.stroke();
    if (this.source.pending(id)) {
      pen.globalAlpha = 1;
      pen.fillStyle = colour;
      pen.beginPath();
      pen.arc(at.x, at.y, Math.max(4, 9 * zoom), 0, 2 * Math.PI);
      pen.fill();
    }
    pen.globalAlpha = 1;
  }
}
