/** Draw the discs behind open communities, with names along the upper rim. */

import { type Box, cutNames } from "../map/labels";
import { onScreen, type Viewport } from "../map/layer";
import { COMMUNITIES, INK, type Theme } from "../map/palette";
import type { CommunityView } from "../protocol/generated";
import { type Disc, PERSON_R } from "./discs";
import { communityIn } from "./netShown";

export interface Ground {
  x: number;
  y: number;
  r: number;
  hue: number;
  label: string;
}

/** Return the discs of open communities; one that is too small to be drawn folded is not shown as an empty disc. */
export function groundsOf(communities: readonly CommunityView[], discs: ReadonlyMap<string, Disc>, open: ReadonlySet<string>): Ground[] {
  return communities.flatMap((one) => {
    const disc = discs.get(one.id);
    return disc && open.has(one.id) ? [{ x: disc.x, y: disc.y, r: disc.r, hue: disc.hue, label: one.label }] : [];
  });
}

/** Width of a person among communities, whose disc has this much room. */
const PERSON_SIZE = 1.6 * PERSON_R;
const FOLDED_MIN = 40;

/** Return the width of a folded community or of a person beside them; null for members, which keep theirs. */
export function netSize(id: string, discs: ReadonlyMap<string, Disc>, people: ReadonlySet<string>): number | null {
  if (people.has(id)) return PERSON_SIZE;
  const community = communityIn(id);
  return community === null ? null : Math.max(FOLDED_MIN, (discs.get(community)?.r ?? 0) * 0.9);
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
