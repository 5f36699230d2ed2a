/** Draw the discs behind open communities, with names along the upper rim. */

import { type Box, cutNames } from "../map/labels";
import { onScreen, type Viewport } from "../map/layer";
import { COMMUNITIES, INK, type Theme } from "../map/palette";

export interface Ground {
  x: number;
  y: number;
  r: number;
  hue: number;
  label: string;
}

export const CAPTION_CELLS = 34;
const CAPTION_MIN_PX = 60;

export function paintDiscs(pen: CanvasRenderingContext2D, view: Viewport, grounds: readonly Ground[], theme: Theme, font: string): void {
  for (const ground of grounds) {
    const at = onScreen(view, ground);
    const r = ground.r * view.zoom;
    pen.beginPath();
    pen.arc(at.x, at.y, r, 0, 2 * Math.PI);
    pen.fillStyle = COMMUNITIES[theme][ground.hue] as string;
    pen.globalAlpha = theme === "light" ? 0.07 : 0.1;
    pen.fill();
    pen.globalAlpha = 0.35;
    pen.lineWidth = 1;
    pen.strokeStyle = pen.fillStyle;
    pen.stroke();
    pen.globalAlpha = 1;
    if (r < CAPTION_MIN_PX) continue;
    pen.font = font;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.fillStyle = INK[theme];
    pen.globalAlpha = 0.75;
    pen.fillText(cutNames(ground.label, CAPTION_CELLS), at.x, at.y - r - 9);
    pen.globalAlpha = 1;
  }
}

/** Return the areas of the captions, which labels must avoid. */
export function discBoxes(pen: CanvasRenderingContext2D, view: Viewport, grounds: readonly Ground[], font: string): Box[] {
  pen.font = font;
  return grounds.flatMap((ground) => {
    const at = onScreen(view, ground);
    const r = ground.r * view.zoom;
    if (r < CAPTION_MIN_PX) return [];
    const w = pen.measureText(cutNames(ground.label, CAPTION_CELLS)).width;
    return [{ x: at.x - w / 2, y: at.y - r - 17, w, h: 16 }];
  });
}
