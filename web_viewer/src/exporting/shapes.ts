/** Node shapes and arrowheads as SVG, as on the canvas. Pure. */

import type { Point } from "../map/place";
import { element } from "./xml";

export interface Body {
  at: Point;
  w: number;
  h: number;
}

type Paint = Readonly<Record<string, string | number | null>>;

const STAR_INSIDE = 0.45;
const CORNERS: Record<string, number> = { pentagon: 5, hexagon: 6 };

/** @param shape a shape name of Cytoscape. */
export function bodyOf(shape: string, { at, w, h }: Body, paint: Paint): string {
  if (shape === "ellipse") return element("ellipse", { cx: r(at.x), cy: r(at.y), rx: r(w / 2), ry: r(h / 2), ...paint });
  if (shape === "round-rectangle") return element("rect", { x: r(at.x - w / 2), y: r(at.y - h / 2), width: r(w), height: r(h), rx: r(Math.min(w, h) / 4), ...paint });
  const points = shape === "star" ? starPoints() : ringPoints(CORNERS[shape] ?? 6);
  return element("polygon", { points: points.map(([x, y]) => `${r(at.x + (x * w) / 2)},${r(at.y + (y * h) / 2)}`).join(" "), ...paint });
}

function ringPoints(corners: number): [number, number][] {
  // A hexagon stands on a side, as on the canvas; the others on a corner.
  const turn = corners === 6 ? 0 : -Math.PI / 2;
  return Array.from({ length: corners }, (_, index) => onRing(turn + (index * 2 * Math.PI) / corners, 1));
}

function starPoints(): [number, number][] {
  return Array.from({ length: 10 }, (_, index) => onRing(-Math.PI / 2 + (index * Math.PI) / 5, index % 2 ? STAR_INSIDE : 1));
}

function onRing(angle: number, radius: number): [number, number] {
  return [Math.cos(angle) * radius, Math.sin(angle) * radius];
}

/** Return where a line from a point meets the border of a node, with a small gap. */
export function rimPoint(body: Body, from: Point, air = 2): Point {
  const dx = from.x - body.at.x;
  const dy = from.y - body.at.y;
  const length = Math.hypot(dx, dy);
  if (length === 0) return { ...body.at };
  const reach = 1 / Math.hypot(dx / (body.w / 2 + air), dy / (body.h / 2 + air));
  const share = Math.min(1, reach);
  return { x: body.at.x + dx * share, y: body.at.y + dy * share };
}

/** @param arrow an arrow name of Cytoscape; @param angle the direction of the edge. */
export function headOf(arrow: string, tip: Point, angle: number, size: number, paint: { colour: string; inside: string; width: number }): string {
  const at = (along: number, aside: number): string =>
    `${r(tip.x + Math.cos(angle) * along - Math.sin(angle) * aside)},${r(tip.y + Math.sin(angle) * along + Math.cos(angle) * aside)}`;
  const filled = { fill: paint.inside, stroke: paint.colour, "stroke-width": 1 };
  const line = { fill: "none", stroke: paint.colour, "stroke-width": r(Math.max(1.5, paint.width)) };
  const half = size * 0.5;
  if (arrow === "triangle") return element("polygon", { points: [at(0, 0), at(-size, half), at(-size, -half)].join(" "), ...filled });
  if (arrow === "diamond") return element("polygon", { points: [at(0, 0), at(-size * 0.6, half), at(-size * 1.2, 0), at(-size * 0.6, -half)].join(" "), ...filled });
  if (arrow === "vee") return element("polyline", { points: [at(-size, half), at(0, 0), at(-size, -half)].join(" "), ...line });
  if (arrow === "tee") return element("polyline", { points: [at(-1, half * 1.2), at(-1, -half * 1.2)].join(" "), ...line });
  return "";
}

export function r(value: number): number {
  return Math.round(value * 10) / 10;
}
