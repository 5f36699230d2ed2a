/** One transparent canvas over or under the main one, at device resolution. */

export interface Viewport {
  zoom: number;
  pan: { x: number; y: number };
  width: number;
  height: number;
}

export class Layer {
  readonly pen: CanvasRenderingContext2D | null;
  private ratio = 1;

  constructor(private readonly canvas: HTMLCanvasElement) {
    this.pen = canvas.getContext("2d");
  }

  resize(width: number, height: number): void {
    this.ratio = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(width * this.ratio);
    this.canvas.height = Math.round(height * this.ratio);
  }

  /** Clear, then draw in screen pixels. */
  draw(paint: (pen: CanvasRenderingContext2D) => void): void {
    const { pen } = this;
    if (!pen) return;
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, this.canvas.width, this.canvas.height);
    pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    paint(pen);
  }
}

export function onScreen(view: Viewport, point: { x: number; y: number }): { x: number; y: number } {
  return { x: point.x * view.zoom + view.pan.x, y: point.y * view.zoom + view.pan.y };
}
