/** Icons of things by type, drawn into their nodes at screen size. */

import { onScreen, type Viewport } from "./layer";
import type { Point } from "./place";
import { GROUND, type Theme } from "./palette";

/** Paths in a square of 16 units; what overlaps is cut out. */
export const TYPE_PATHS: Record<string, string> = {
  person: "M8 2a3 3 0 1 1 0 6 3 3 0 1 1 0-6zM2.5 14a5.5 4.7 0 0 1 11 0z",
  place: "M8 1.5a4.5 4.5 0 0 1 4.5 4.5c0 3-4.5 8.5-4.5 8.5S3.5 9 3.5 6A4.5 4.5 0 0 1 8 1.5zM8 4.4a1.7 1.7 0 1 0 0 3.4 1.7 1.7 0 1 0 0-3.4z",
  organization: "M3 14V2.5h6V6h4v8zM4.7 4.5v1.6h2.6V4.5zM4.7 7.8v1.6h2.6V7.8zM4.7 11v1.6h2.6V11zM10.4 8v1.4h1.3V8zM10.4 11v1.4h1.3V11z",
  work: "M1.5 3h5L8 4.2 9.5 3h5v9.6h-5L8 13.8l-1.5-1.2h-5zM7.4 5.6v6h1.2v-6z",
  animal: "M8 7.5c2 0 4.2 2.4 4.2 4.4S10 13.6 8 13.6s-4.2.3-4.2-1.7S6 7.5 8 7.5zM3.2 5a1.3 1.8 0 1 0 .1 0zM6.2 2.2a1.3 1.8 0 1 0 .1 0zM9.7 2.2a1.3 1.8 0 1 0 .1 0zM12.7 5a1.3 1.8 0 1 0 .1 0z",
  food: "M2 8h12a6 6 0 0 1-12 0zM5.4 2h1.4v4.5H5.4zM9.2 2h1.4v4.5H9.2z",
  activity: "M9.5 1L3.5 9.2h3.2L5.6 15l7-8.4H9z",
  time: "M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 1 0 8 1.8zM7.2 4.2h1.6v3.4l2.5 1.5-.8 1.3-3.3-2z",
  topic: "M2 3h12v7.5H8.5L5 13.6v-3.1H2z",
  thing: "M8 1.5l6 3.2v6.6l-6 3.2-6-3.2V4.7zM8 3.4L4.8 5 8 6.7 11.2 5z",
  avoid: "M8 1.5L15.2 14H.8zM7.2 5.8h1.6v4.1H7.2zM7.2 11h1.6v1.6H7.2z",
};

/** Zoomed out further no thing has an icon, so that not only some have; nor has what is smaller in pixels than this. */
const ZOOM_MIN = 0.38;
const SIZE_MIN = 10;
/** Of the diameter. */
const SHARE = 0.62;
const FORM = 16;
const paths = new Map<string, Path2D>();

/** @param sizes diameters in map units. */
export function paintTypeIcons(pen: CanvasRenderingContext2D, view: Viewport, types: ReadonlyMap<string, string>, sizes: (id: string) => number, place: (id: string) => Point | undefined, theme: Theme, dimmed: (id: string) => boolean): void {
  if (view.zoom < ZOOM_MIN) return;
  pen.fillStyle = GROUND[theme];
  for (const [id, type] of types) {
    const point = place(id);
    const size = sizes(id) * view.zoom;
    if (!point || size < SIZE_MIN) continue;
    const { x, y } = onScreen(view, point);
    if (x < -size || y < -size || x > view.width + size || y > view.height + size) continue;
    let path = paths.get(type);
    if (path === undefined) paths.set(type, (path = new Path2D(TYPE_PATHS[type] ?? TYPE_PATHS.thing)));
    const scale = (size * SHARE) / FORM;
    pen.save();
    pen.globalAlpha = dimmed(id) ? 0.25 : 1;
    pen.translate(x - (FORM * scale) / 2, y - (FORM * scale) / 2);
    pen.scale(scale, scale);
    pen.fill(path, "evenodd");
    pen.restore();
  }
}
