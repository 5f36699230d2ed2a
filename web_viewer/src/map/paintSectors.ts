/** Draw the sectors behind the mind map, with captions along their rim. */

import { isClosed } from "../graph/facts";
import { type GroupKey, groupOf } from "../graph/groups";
import type { GraphEdge, GraphNode } from "../protocol/frames";
import { onScreen, type Viewport } from "./layer";
import { type Box, overlap } from "./labels";
import { atOnce } from "./slices";
import { groupColour, type Theme } from "./palette";
import { INSIDE, inSector, OUTSIDE, type Point, sectorName, STRETCH, type Sector } from "./place";

/** Distance between the outermost nodes and the caption, in pixels. */
const CAPTION_CLEAR = 17;
const CAPTION_MIN_ZOOM = 0.22;

/** Return the sectors that hold a thing which a valid fact puts there. */
export function heldSectors(sectors: readonly Sector[], edges: Iterable<GraphEdge>, points: ReadonlyMap<string, Point>, nodes: ReadonlyMap<string, GraphNode>): Sector[] {
  const byName = new Map(sectors.map((sector) => [sectorName(sector.hub, sector.key), sector]));
  const held = new Set<Sector>();
  for (const edge of edges) {
    if (edge.predicate === "MENTIONED" || isClosed(edge)) continue;
    for (const [hub, thing] of [[edge.source, edge.target], [edge.target, edge.source]] as const) {
      const [sector, point] = [byName.get(sectorName(hub, groupOf(edge, nodes.get(thing)))), points.get(thing)];
      if (sector && point && inSector(sector, point)) held.add(sector);
    }
  }
  return sectors.filter((sector) => held.has(sector));
}

export interface SectorCaptions {
  /** By `sectorName`; the middle of the sector if missing. */
  angles: ReadonlyMap<string, number>;
  font: string;
  text(key: GroupKey): string;
}

const CAPTION_TURNS = 9;
const CAPTION_AIR = 9;
/** Room beside a caption that labels leave, since a name right beside it reads like a part of it. */
export const LABEL_AIR = 8;

/** Choose the angles of captions at once. */
export function captionAngles(...args: Parameters<typeof captionAngleSteps>): Map<string, number> {
  return atOnce(captionAngleSteps(...args));
}

/**
 * Choose for each sector the angle of its caption: the one nearest to its middle where the caption covers no node. Yield after each.
 *
 * @param covers what lies above the map, under which no caption can be read.
 */
export function* captionAngleSteps(pen: CanvasRenderingContext2D, view: Viewport, sectors: readonly Sector[], captions: SectorCaptions, points: Iterable<Point>, covers: readonly Box[] = []): Generator<void, Map<string, number>> {
  const nodes = [...points].map((point) => onScreen(view, point));
  const chosen = new Map<string, number>();
  for (const sector of sectors) {
    // Whatever is drawn between two steps may use another font.
    pen.font = captions.font;
    const w = pen.measureText(captions.text(sector.key)).width;
    const [middle, step] = [(sector.from + sector.to) / 2, (sector.to - sector.from) / (CAPTION_TURNS + 1)];
    const turns = Array.from({ length: CAPTION_TURNS }, (_, index) => middle + step * Math.ceil(index / 2) * (index % 2 ? 1 : -1));
    const covered = (angle: number): number => {
      const box = captionBox(view, sector, angle, w);
      const hidden = covers.filter((one) => overlap(box, one)).length;
      return hidden * nodes.length + nodes.filter(({ x, y }) => x > box.x - CAPTION_AIR && x < box.x + box.w + CAPTION_AIR && y > box.y - CAPTION_AIR && y < box.y + box.h + CAPTION_AIR).length;
    };
    chosen.set(sectorName(sector.hub, sector.key), turns.reduce((best, angle) => (covered(angle) < covered(best) ? angle : best), middle));
    yield;
  }
  return chosen;
}

function angleOf(sector: Sector, captions: SectorCaptions): number {
  return captions.angles.get(sectorName(sector.hub, sector.key)) ?? (sector.from + sector.to) / 2;
}

function captionBox(view: Viewport, sector: Sector, angle: number, w: number): Box {
  const { x, y, align } = captionPlace(view, sector, angle);
  return { x: align === "left" ? x : align === "right" ? x - w : x - w / 2, y: y - 8, w, h: 16 };
}

export function paintSectors(pen: CanvasRenderingContext2D, view: Viewport, sectors: readonly Sector[], theme: Theme, captions: SectorCaptions | null, faint: (hub: string) => boolean = () => false): void {
  for (const sector of sectors) {
    const centre = onScreen(view, sector.centre);
    const inner = (sector.inner - INSIDE) * view.zoom;
    const outer = (sector.outer + OUTSIDE) * view.zoom;
    const { stretch = STRETCH } = sector;
    const colour = groupColour(sector.key, theme);
    pen.beginPath();
    pen.ellipse(centre.x, centre.y, outer * stretch, outer, 0, sector.from, sector.to);
    pen.ellipse(centre.x, centre.y, inner * stretch, inner, 0, sector.to, sector.from, true);
    pen.closePath();
    pen.fillStyle = colour;
    pen.globalAlpha = theme === "light" ? 0.055 : 0.075;
    pen.fill();
    pen.globalAlpha = 1;
    if (captions && view.zoom >= CAPTION_MIN_ZOOM) paintCaption(pen, view, sector, colour, captions, faint(sector.hub));
  }
}

/** Return the areas of the captions, which labels must avoid. */
export function captionBoxes(pen: CanvasRenderingContext2D, view: Viewport, sectors: readonly Sector[], captions: SectorCaptions): Box[] {
  if (view.zoom < CAPTION_MIN_ZOOM) return [];
  pen.font = captions.font;
  return sectors.map((sector) => {
    const box = captionBox(view, sector, angleOf(sector, captions), pen.measureText(captions.text(sector.key)).width);
    return { ...box, x: box.x - LABEL_AIR, w: box.w + 2 * LABEL_AIR };
  });
}

function captionPlace(view: Viewport, sector: Sector, middle: number): { x: number; y: number; align: CanvasTextAlign } {
  const centre = onScreen(view, sector.centre);
  // Inside the rim, which the layout leaves free.
  const rim = Math.max((sector.outer + OUTSIDE) * view.zoom - 9, sector.outer * view.zoom + CAPTION_CLEAR);
  const side = Math.cos(middle);
  return {
    x: centre.x + side * rim * (sector.stretch ?? STRETCH),
    y: centre.y + Math.sin(middle) * rim,
    align: side > 0.5 ? "right" : side < -0.5 ? "left" : "center",
  };
}

function paintCaption(
  pen: CanvasRenderingContext2D,
  view: Viewport,
  sector: Sector,
  colour: string,
  captions: SectorCaptions,
  faint: boolean,
): void {
  const { x, y, align } = captionPlace(view, sector, angleOf(sector, captions));
  pen.font = captions.font;
  pen.textAlign = align;
  pen.textBaseline = "middle";
  pen.fillStyle = colour;
  pen.globalAlpha = faint ? 0.3 : 0.85;
  pen.fillText(captions.text(sector.key), x, y);
  pen.globalAlpha = 1;
}
