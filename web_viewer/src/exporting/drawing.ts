/** Draw a view as SVG: elements, labels, and a legend. Pure. */

import { isClosed } from "../graph/facts";
import { thingTypes } from "../graph/groups";
import { edgeWidth, type Finish, nodeSize, pairKey } from "../map/elements";
import { cellsOf, cutLabel, cutNames, type LabelWish, placeLabels } from "../map/labels";
import { FONT } from "../map/paintLabels";
import { BADGE } from "../map/foldScenes";
import { COMMUNITIES, GROUND, groupColour, INK, kindLook, MUTED, nodeColour, predicateLook, type Theme } from "../map/palette";
import { neighboursBelow } from "../map/pointOut";
import { TYPE_PATHS } from "../map/typeIcons";
import { INSIDE, OUTSIDE, type Point, type Sector, STRETCH } from "../map/place";
import { CAPTION_CELLS, type Ground } from "../net/paintDiscs";
import type { GraphEdge, GraphNode } from "../protocol/frames";
import type { Shown } from "../view/filters";
import { type Body, bodyOf, headOf, r, rimPoint } from "./shapes";
import { element, escapeXml, SVG_NAMESPACE } from "./xml";

/** The contents of a canvas. */
export interface Picture {
  shown: Shown;
  points: ReadonlyMap<string, Point>;
  sectors: readonly Sector[];
  grounds: readonly Ground[];
  finish: Finish;
}

/** Texts of the drawing in the user's language. */
export interface DrawingTexts {
  title: string;
  caption: string;
  kind(name: string): string;
  predicate(name: string): string;
  sector(key: string): string;
}

export interface Drawing {
  svg: string;
  width: number;
  height: number;
}

const SURE = 0.5;
const AIR = 48;
const KEY_ROW = 26;
const PX_PER_CELL = 0.56;
const PARALLEL_STEP = 26;
const OPACITY: Record<string, number> = { RELATES_TO: 0.6, TIES: 0.35, CAUSED_BY: 0.55, MENTIONED: 0.38 };
const DASH: Record<string, string> = { dotted: "1.5 3", dashed: "6 4" };

export function drawingOf(picture: Picture, theme: Theme, texts: DrawingTexts): Drawing {
  const bodies = bodiesOf(picture);
  const labels = labelsOf(picture, bodies, theme);
  const box = boxOf(picture, bodies);
  const width = Math.ceil(Math.max(box.w, 360, textWidth(texts.caption, 12) + AIR));
  const key = keyOf(picture, theme, texts, width);
  const height = Math.ceil(box.h + key.height);
  const inside = [
    element("title", {}, escapeXml(texts.title)),
    element("rect", { width, height, fill: GROUND[theme] }),
    element("g", { transform: `translate(${r((width - box.w) / 2 - box.x)} ${r(-box.y)})` }, [
      ...picture.sectors.map((sector) => fan(sector, theme, texts)),
      ...picture.grounds.map((ground) => disc(ground, theme)),
      ...links(picture, bodies, theme),
      ...things(picture, bodies, theme),
      ...labels,
    ].join("\n")),
    element("g", { transform: `translate(0 ${r(box.h)})` }, key.svg),
  ].join("\n");
  const root = { xmlns: SVG_NAMESPACE, width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "font-family": FONT };
  return { svg: `${element("svg", root, inside)}\n`, width, height };
}

function bodiesOf({ shown, points, finish }: Picture): ReadonlyMap<string, Body> {
  const degrees = degreesOf(shown);
  const bodies = new Map<string, Body>();
  for (const node of shown.nodes.values()) {
    const at = points.get(node.id);
    if (!at) continue;
    const own = finish.size(node.id);
    bodies.set(node.id, { at, ...(own === null ? nodeSize(node.kind, degrees.get(node.id) ?? 0) : { w: own, h: own }) });
  }
  return bodies;
}

function degreesOf(shown: Shown): ReadonlyMap<string, number> {
  const degrees = new Map<string, number>();
  for (const edge of shown.edges.values()) {
    for (const end of [edge.source, edge.target]) degrees.set(end, (degrees.get(end) ?? 0) + 1);
  }
  return degrees;
}

function boxOf({ sectors, grounds }: Picture, bodies: ReadonlyMap<string, Body>): { x: number; y: number; w: number; h: number } {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  const take = (x: number, y: number, w: number, h: number): void => {
    left = Math.min(left, x - w);
    right = Math.max(right, x + w);
    top = Math.min(top, y - h);
    bottom = Math.max(bottom, y + h);
  };
  // Labels are wider than their nodes.
  for (const { at, w, h } of bodies.values()) take(at.x, at.y, Math.max(w / 2, 70), h / 2 + 18);
  for (const { centre, from, to, outer, stretch = STRETCH } of sectors) {
    for (let step = 0; step <= 8; step += 1) {
      const angle = from + ((to - from) * step) / 8;
      take(centre.x + Math.cos(angle) * (outer + OUTSIDE) * stretch, centre.y + Math.sin(angle) * (outer + OUTSIDE), 0, 0);
    }
  }
  for (const { x, y, r: radius } of grounds) take(x, y, radius, radius + 18);
  if (left > right) return { x: 0, y: 0, w: 2 * AIR, h: 2 * AIR };
  return { x: left - AIR, y: top - AIR, w: right - left + 2 * AIR, h: bottom - top + 2 * AIR };
}

function fan(sector: Sector, theme: Theme, texts: DrawingTexts): string {
  const { centre, from, to, stretch = STRETCH } = sector;
  const colour = groupColour(sector.key, theme);
  const [outer, inner] = [sector.outer + OUTSIDE, Math.max(1, sector.inner - INSIDE)];
  const at = (angle: number, radius: number): string => `${r(centre.x + Math.cos(angle) * radius * stretch)} ${r(centre.y + Math.sin(angle) * radius)}`;
  const wide = to - from > Math.PI ? 1 : 0;
  const path = `M${at(from, outer)} A${r(outer * stretch)} ${r(outer)} 0 ${wide} 1 ${at(to, outer)} L${at(to, inner)} A${r(inner * stretch)} ${r(inner)} 0 ${wide} 0 ${at(from, inner)} Z`;
  const middle = (from + to) / 2;
  const rim = sector.outer + OUTSIDE - 9;
  const side = Math.cos(middle);
  const anchor = side > 0.5 ? "end" : side < -0.5 ? "start" : "middle";
  const words = { x: r(centre.x + side * rim * stretch), y: r(centre.y + Math.sin(middle) * rim + 4), "text-anchor": anchor, fill: colour, "font-size": 12.5, "font-weight": 600 };
  return element("path", { d: path, fill: colour, "fill-opacity": theme === "light" ? 0.055 : 0.075 }) + element("text", words, escapeXml(texts.sector(sector.key)));
}

function disc(ground: Ground, theme: Theme): string {
  const colour = COMMUNITIES[theme][ground.hue] as string;
  const paint = { fill: colour, "fill-opacity": theme === "light" ? 0.07 : 0.1, stroke: colour, "stroke-opacity": 0.35 };
  const words = { x: r(ground.x), y: r(ground.y - ground.r - 6), "text-anchor": "middle", fill: INK[theme], "font-size": 12.5, "font-weight": 600, opacity: 0.75 };
  return element("circle", { cx: r(ground.x), cy: r(ground.y), r: r(ground.r), ...paint }) + element("text", words, escapeXml(cutNames(ground.label, CAPTION_CELLS)));
}

function links({ shown }: Picture, bodies: ReadonlyMap<string, Body>, theme: Theme): string[] {
  const pairs = new Map<string, GraphEdge[]>();
  for (const edge of shown.edges.values()) pairs.set(pairKey(edge), [...(pairs.get(pairKey(edge)) ?? []), edge]);
  const drawn: { late: boolean; svg: string }[] = [];
  for (const side of pairs.values()) {
    side.forEach((edge, index) => {
      const [source, target] = [bodies.get(edge.source), bodies.get(edge.target)];
      if (!source || !target || edge.source === edge.target) return;
      const bend = (index - (side.length - 1) / 2) * PARALLEL_STEP * (edge.source < edge.target ? 1 : -1);
      // Draw facts above the mentions that run along them.
      drawn.push({ late: edge.predicate !== "MENTIONED", svg: link(edge, source, target, bend, theme) });
    });
  }
  return drawn.sort((a, b) => Number(a.late) - Number(b.late)).map((one) => one.svg);
}

function link(edge: GraphEdge, source: Body, target: Body, bend: number, theme: Theme): string {
  const look = predicateLook(edge.predicate);
  const colour = look.colour[theme];
  const width = edgeWidth(edge.predicate, edge.strength);
  const length = Math.hypot(target.at.x - source.at.x, target.at.y - source.at.y) || 1;
  const across = { x: -(target.at.y - source.at.y) / length, y: (target.at.x - source.at.x) / length };
  const control = { x: (source.at.x + target.at.x) / 2 + across.x * bend * 2, y: (source.at.y + target.at.y) / 2 + across.y * bend * 2 };
  const from = rimPoint(source, control);
  const to = rimPoint(target, control);
  const unsure = edge.confidence < SURE;
  const dash = unsure ? DASH.dashed : DASH[look.line];
  const angle = Math.atan2(to.y - control.y, to.x - control.x);
  const path = element("path", { d: `M${r(from.x)} ${r(from.y)} Q${r(control.x)} ${r(control.y)} ${r(to.x)} ${r(to.y)}`, fill: "none", stroke: colour, "stroke-width": r(width), "stroke-dasharray": dash });
  const head = headOf(String(look.arrow), to, angle, 5 + width * 1.6, { colour, inside: unsure ? GROUND[theme] : colour, width });
  const closed = isClosed(edge);
  const middle = { x: (from.x + 2 * control.x + to.x) / 4, y: (from.y + 2 * control.y + to.y) / 4 };
  const struck = closed ? headOf("tee", middle, angle, 10, { colour, inside: colour, width: 2 }) : "";
  return element("g", { opacity: closed ? 0.34 : (OPACITY[edge.predicate] ?? 0.78) }, path + head + struck);
}

function things({ shown, finish }: Picture, bodies: ReadonlyMap<string, Body>, theme: Theme): string[] {
  const types = thingTypes(shown);
  return [...shown.nodes.values()].flatMap((node) => {
    const body = bodies.get(node.id);
    if (!body) return [];
    const look = kindLook(node.kind);
    const paint = { fill: finish.tint(node.id) ?? nodeColour(node.kind, types.get(node.id), theme), stroke: GROUND[theme], "stroke-width": node.kind === "User" ? 0 : 2 };
    const type = types.get(node.id);
    const scale = (body.w * 0.62) / 16;
    const icon = type === undefined ? "" : element("path", { d: TYPE_PATHS[type] ?? "", fill: GROUND[theme], "fill-rule": "evenodd", transform: `translate(${r(body.at.x - 8 * scale)} ${r(body.at.y - 8 * scale)}) scale(${r(scale)})` });
    return [bodyOf(String(look.shape), body, paint) + icon];
  });
}

function labelsOf({ shown, points }: Picture, bodies: ReadonlyMap<string, Body>, theme: Theme): string[] {
  const degrees = degreesOf(shown);
  const rank = (node: GraphNode): number => (node.kind === "User" ? 1e6 : node.kind === "Scene" ? 0 : 1e3) + (degrees.get(node.id) ?? 0);
  const nodes = [...shown.nodes.values()].filter((node) => bodies.has(node.id)).sort((a, b) => rank(b) - rank(a) || (a.id < b.id ? -1 : 1));
  // As on the page: above a thing whose links go down.
  const below = neighboursBelow({ edges: shown.edges, points });
  const wishes = nodes.map((node): LabelWish => {
    const { at, w, h } = bodies.get(node.id) as Body;
    const px = fontPx(node);
    return { id: node.id, x: at.x, y: at.y, halfWidth: w / 2, halfHeight: h / 2, width: textWidth(cutLabel(node.label), px) + 4, height: px + 4, forced: node.kind === "User", above: node.kind === BADGE || (node.kind !== "User" && (below.get(node.id) ?? 0) > 0) };
  });
  const byId = new Map(nodes.map((node) => [node.id, node]));
  return placeLabels(wishes, wishes.length).map(({ id, dx, dy }) => {
    const node = byId.get(id) as GraphNode;
    const { at } = bodies.get(id) as Body;
    const px = fontPx(node);
    const paint = { fill: node.kind === "Scene" ? MUTED[theme] : INK[theme], stroke: GROUND[theme], "stroke-width": 3, "stroke-linejoin": "round", "paint-order": "stroke" };
    return element("text", { x: r(at.x + dx), y: r(at.y + dy + px * 0.35), "text-anchor": "middle", "font-size": px, "font-weight": node.kind === "User" ? 650 : 450, ...paint }, escapeXml(cutLabel(node.label)));
  });
}

function fontPx(node: GraphNode): number {
  return node.kind === "User" ? 14 : 12;
}

/** Estimate the width of a text. */
export function textWidth(text: string, px: number): number {
  return cellsOf(text) * px * PX_PER_CELL;
}

/** Draw the legend, and the source and date of the picture. */
function keyOf({ shown }: Picture, theme: Theme, texts: DrawingTexts, width: number): { svg: string; height: number } {
  const kinds = [...new Set([...shown.nodes.values()].map((node) => node.kind))];
  const predicates = [...new Set([...shown.edges.values()].map((edge) => edge.predicate))].filter((name) => name !== "TIES");
  const signs = [
    ...kinds.map((kind) => ({ text: texts.kind(kind), sign: (at: Point) => bodyOf(String(kindLook(kind).shape), { at, w: 14, h: kind === "Scene" ? 10 : 14 }, { fill: kindLook(kind).colour[theme] }) })),
    ...predicates.map((name) => ({ text: texts.predicate(name), sign: (at: Point) => stroke(name, at, theme) })),
  ];
  let [x, y] = [AIR / 2, KEY_ROW / 2];
  const parts: string[] = [];
  for (const { text, sign } of signs) {
    const wide = 34 + textWidth(text, 12);
    if (x + wide > width - AIR / 2 && x > AIR / 2) [x, y] = [AIR / 2, y + KEY_ROW];
    parts.push(sign({ x: x + 10, y }), element("text", { x: r(x + 24), y: r(y + 4), "font-size": 12, fill: INK[theme] }, escapeXml(text)));
    x += wide;
  }
  parts.push(element("text", { x: AIR / 2, y: r(y + KEY_ROW + 4), "font-size": 12, fill: MUTED[theme] }, escapeXml(texts.caption)));
  return { svg: parts.join(""), height: y + KEY_ROW * 1.5 };
}

function stroke(predicate: string, at: Point, theme: Theme): string {
  const look = predicateLook(predicate);
  const colour = look.colour[theme];
  const line = element("path", { d: `M${r(at.x - 9)} ${r(at.y)} H${r(at.x + 9)}`, fill: "none", stroke: colour, "stroke-width": 2, "stroke-dasharray": DASH[look.line] });
  return line + headOf(String(look.arrow), { x: at.x + 9, y: at.y }, 0, 8, { colour, inside: colour, width: 2 });
}
