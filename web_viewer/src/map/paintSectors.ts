/** Draw the sectors behind the mind map, with captions along their rim. */

import type { GraphEdge } from "../protocol/frames";
import { onScreen, type Viewport } from "./layer";
import type { Box } from "./labels";
import { MUTED, predicateLook, type Theme } from "./palette";
import { sectorName, sectorOf, STRETCH, type Sector, type SectorKey } from "./place";

export const PREDICATE_OF: Record<SectorKey, string> = { likes: "PREFERS", cares: "CARES_ABOUT", linked: "RELATES_TO", dislikes: "DISLIKES" };
/** Margin of a sector around its nodes. */
export const INSIDE = 62;
export const OUTSIDE = 58;
/** Distance between the outermost nodes and the caption, in pixels. */
const CAPTION_CLEAR = 17;
const CAPTION_MIN_ZOOM = 0.22;

/** Return the names of the sectors that are not empty. */
function usedSectors(sectors: readonly Sector[], edges: Iterable<GraphEdge>): ReadonlySet<string> {
  const hubs = new Set(sectors.map((sector) => sector.hub));
  const used = new Set<string>();
  for (const edge of edges) {
    for (const end of [edge.source, edge.target]) {
      if (hubs.has(end) && edge.predicate !== "MENTIONED") used.add(sectorName(end, sectorOf(edge.predicate)));
    }
  }
  return used;
}

/** Return the sectors that are not empty. */
export function heldSectors(sectors: readonly Sector[], edges: Iterable<GraphEdge>): Sector[] {
  const used = usedSectors(sectors, edges);
  return sectors.filter((sector) => used.has(sectorName(sector.hub, sector.key)));
}

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
    if (view.zoom >= CAPTION_MIN_ZOOM) paintCaption(pen, view, sector, colour, theme, captions);
  }
}

/** Return the areas of the captions, which labels must avoid. */
export function captionBoxes(pen: CanvasRenderingContext2D, view: Viewport, sectors: readonly Sector[], captions: SectorCaptions): Box[] {
  if (view.zoom < CAPTION_MIN_ZOOM) return [];
  pen.font = captions.font;
  return sectors.map((sector) => {
    const { x, y, align } = captionPlace(view, sector);
    const w = pen.measureText(captions.text(sector.key)).width;
    return { x: align === "left" ? x : align === "right" ? x - w : x - w / 2, y: y - 8, w, h: 16 };
  });
}

function captionPlace(view: Viewport, sector: Sector): { x: number; y: number; align: CanvasTextAlign } {
  const centre = onScreen(view, sector.centre);
  // Inside the rim, which the layout leaves free.
  const rim = Math.max((sector.outer + OUTSIDE) * view.zoom - 9, sector.outer * view.zoom + CAPTION_CLEAR);
  const middle = (sector.from + sector.to) / 2;
  const side = Math.cos(middle);
  return {
    x: centre.x + side * rim * STRETCH,
    y: centre.y + Math.sin(middle) * rim,
    align: side > 0.5 ? "right" : side < -0.5 ? "left" : "center",
  };
}

function paintCaption(
  pen: CanvasRenderingContext2D,
  view: Viewport,
  sector: Sector,
  colour: string,
  theme: Theme,
  captions: SectorCaptions,
): void {
  const { x, y, align } = captionPlace(view, sector);
  pen.font = captions.font;
  pen.textAlign = align;
  pen.textBaseline = "middle";
  pen.fillStyle = sector.key === "linked" ? MUTED[theme] : colour;
  pen.globalAlpha = 0.85;
  pen.fillText(captions.text(sector.key), x, y);
  pen.globalAlpha = 1;
}
