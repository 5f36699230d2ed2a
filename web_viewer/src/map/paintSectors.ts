/** The soft fans behind the mind map, with what they mean written along their rim. */

import { onScreen, type Viewport } from "./layer";
import { MUTED, predicateLook, type Theme } from "./palette";
import { STRETCH, type Sector, type SectorKey } from "./place";

const PREDICATE_OF: Record<SectorKey, string> = { likes: "PREFERS", cares: "CARES_ABOUT", linked: "RELATES_TO", dislikes: "DISLIKES" };
const INSIDE = 62;
const OUTSIDE = 46;
const CAPTION_MIN_ZOOM = 0.22;

export interface SectorCaptions {
  font: string;
  text(key: SectorKey): string;
}

export function paintSectors(pen: CanvasRenderingContext2D, view: Viewport, sectors: readonly Sector[], theme: Theme, captions: SectorCaptions): void {
  for (const sector of sectors) {
    const centre = onScreen(view, sector.centre);
    const inner = (sector.inner - INSIDE) * view.zoom;
    const outer = (sector.outer + OUTSIDE) * view.zoom;
    const colour = predicateLook(PREDICATE_OF[sector.key]).colour[theme];
    pen.beginPath();
    pen.ellipse(centre.x, centre.y, outer * STRETCH, outer, 0, sector.from, sector.to);
    pen.ellipse(centre.x, centre.y, inner * STRETCH, inner, 0, sector.to, sector.from, true);
    pen.closePath();
    pen.fillStyle = colour;
    pen.globalAlpha = theme === "light" ? 0.055 : 0.075;
    pen.fill();
    pen.globalAlpha = 1;
    if (view.zoom >= CAPTION_MIN_ZOOM) paintCaption(pen, sector, centre, outer, colour, theme, captions);
  }
}

function paintCaption(
  pen: CanvasRenderingContext2D,
  sector: Sector,
  centre: { x: number; y: number },
  outer: number,
  colour: string,
  theme: Theme,
  captions: SectorCaptions,
): void {
  const middle = (sector.from + sector.to) / 2;
  const x = centre.x + Math.cos(middle) * (outer + 12) * STRETCH;
  const y = centre.y + Math.sin(middle) * (outer + 14);
  pen.font = captions.font;
  pen.textAlign = Math.cos(middle) > 0.35 ? "left" : Math.cos(middle) < -0.35 ? "right" : "center";
  pen.textBaseline = "middle";
  pen.fillStyle = sector.key === "linked" ? MUTED[theme] : colour;
  pen.globalAlpha = 0.85;
  pen.fillText(captions.text(sector.key), x, y);
  pen.globalAlpha = 1;
}
