/** A film of how a memory grew: every frame is a function of its number. Pure, but for the pen. */

import { factSentence } from "../graph/facts";
import type { Words } from "../i18n/words";
import { edgeWidth, nodeSize } from "../map/elements";
import { cutLabel, type LabelWish, placeLabels } from "../map/labels";
import { ACCENT, GROUND, INK, kindLook, MUTED, predicateLook, type Theme } from "../map/palette";
import { FONT } from "../map/paintLabels";
import type { Point } from "../map/place";
import type { GraphEdge, GraphNode } from "../protocol/frames";
import { type Axis, momentsOf } from "../time/span";
import { type Filter, type Shown, shownPart, withinBudget } from "../view/filters";
import { textWidth } from "./drawing";

export const FILM = { width: 1280, height: 720, fps: 25 } as const;
const SECONDS_MAX = 20;
const TITLE_S = 1.6;
const END_S = 2.9;
/** A memory of few changes makes a shorter film. */
const STEP_S_MAX = 2;
const STEPS_MAX = 40;
const FADE_S = 0.5;
const RING_S = 1.1;
/** Fewer times at which something became known tell less than when it was true. */
const KNOWN_MIN = 3;
const MARGIN = { x: 90, top: 96, bottom: 128 };
const FADED = 0.25;

interface Span {
  /** Number of the step in which it comes. */
  from: number;
  /** Number of the step in which it has ended; infinite if it never does. */
  to: number;
}

export interface Step {
  atMs: number;
  /** The strongest fact that came. */
  caption: string | null;
  facts: number;
}

export interface Film {
  frames: number;
  steps: readonly Step[];
  nodes: readonly { node: GraphNode; at: Point; r: number; label: Point | null; span: Span }[];
  edges: readonly { edge: GraphEdge; from: Point; to: Point; span: Span }[];
  title: string;
  end: string;
}

export interface FilmSource {
  graph: Shown;
  /** The filters of the view. */
  filter: Filter;
  points: ReadonlyMap<string, Point>;
  title: string;
}

/** Compute the film of a memory on the places of its map, a moment at a time; null if nothing that has a place ever changed. */
export function* filmSteps({ graph, filter, points, title }: FilmSource, words: Words): Generator<void, Film | null> {
  const hidden = new Set([...filter.hidden, "Scene"]);
  const held = withinBudget({ nodes: new Map([...graph.nodes].filter(([id]) => points.has(id))), edges: new Map([...graph.edges].filter(([, edge]) => points.has(edge.source) && points.has(edge.target))) }, new Set());
  const axis: Axis = new Set(momentsOf(held, "known")).size >= KNOWN_MIN ? "known" : "true";
  const times = stepsOf(momentsOf({ nodes: new Map(), edges: held.edges }, axis));
  if (times.length === 0) return null;
  const spans = new Map<string, Span>();
  const steps: Step[] = [];
  for (const [step, atMs] of times.entries()) {
    yield;
    const at = new Date(atMs).toISOString();
    const shown = shownPart(held, { ...filter, hidden, moments: axis === "known" ? { validAt: null, asOf: at } : { validAt: at, asOf: null } });
    const valid = [...shown.edges.values()].filter((edge) => edge.predicate !== "MENTIONED" && !edge.invalid_at);
    const linked = new Set(valid.flatMap((edge) => [edge.source, edge.target]));
    const here = new Set([...valid.map((edge) => edge.id), ...[...shown.nodes.values()].filter((node) => node.kind === "User" || linked.has(node.id)).map((node) => node.id)]);
    const came = valid.filter((edge) => !spans.has(edge.id)).sort((a, b) => b.strength - a.strength || (a.id < b.id ? -1 : 1));
    for (const id of here) if (!spans.has(id)) spans.set(id, { from: step, to: Infinity });
    for (const [id, span] of spans) {
      if (!here.has(id)) span.to = Math.min(span.to, step);
      else if (span.to <= step) span.to = Infinity;
    }
    steps.push({ atMs, facts: valid.length, caption: came[0] ? factSentence(came[0], (id) => held.nodes.get(id)?.label, words) : null });
  }
  yield;
  const { fit, scale } = fitting([...spans.keys()].flatMap((id) => points.get(id) ?? []));
  const nodes = placed(held, spans, points, fit, scale);
  const byId = new Map(nodes.map((one) => [one.node.id, one.at]));
  const edges = [...held.edges.values()].flatMap((edge) => {
    const [from, to, span] = [byId.get(edge.source), byId.get(edge.target), spans.get(edge.id)];
    return from && to && span ? [{ edge, from, to, span }] : [];
  });
  const [first, last] = [words.date(new Date(times[0] as number).toISOString()), words.date(new Date(times.at(-1) as number).toISOString())];
  const end = words.t("film.end", { n: steps.at(-1)?.facts ?? 0, things: nodes.filter(({ span }) => span.to === Infinity).length, when: first === last ? first : `${first} – ${last}` });
  return { frames: Math.round(secondsOf(steps.length) * FILM.fps), steps, nodes, edges, title, end };
}

function secondsOf(steps: number): number {
  return TITLE_S + Math.min(SECONDS_MAX - TITLE_S - END_S, steps * STEP_S_MAX) + END_S;
}

/** Return at most `STEPS_MAX` times, each the last of as many changes as the others; times without a change take no step. */
export function stepsOf(moments: readonly number[]): number[] {
  const distinct = [...new Set(moments)].sort((a, b) => a - b);
  const n = Math.min(STEPS_MAX, distinct.length);
  return Array.from({ length: n }, (_, step) => distinct[Math.ceil(((step + 1) * distinct.length) / n) - 1] as number);
}

/** Return how to bring these points into the picture. */
function fitting(points: readonly Point[]): { fit: (point: Point) => Point; scale: number } {
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)];
  const [left, top, right, bottom] = [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
  const room = { w: FILM.width - 2 * MARGIN.x, h: FILM.height - MARGIN.top - MARGIN.bottom };
  const scale = Math.min(1.6, room.w / Math.max(right - left, 1), room.h / Math.max(bottom - top, 1));
  const [dx, dy] = [MARGIN.x + room.w / 2 - ((left + right) / 2) * scale, MARGIN.top + room.h / 2 - ((top + bottom) / 2) * scale];
  return { scale, fit: ({ x, y }) => ({ x: x * scale + dx, y: y * scale + dy }) };
}

function placed({ nodes, edges }: Shown, spans: ReadonlyMap<string, Span>, points: ReadonlyMap<string, Point>, fit: (point: Point) => Point, scale: number): Film["nodes"] {
  const degrees = new Map<string, number>();
  for (const { id, source, target } of edges.values()) if (spans.has(id)) for (const end of [source, target]) degrees.set(end, (degrees.get(end) ?? 0) + 1);
  const found = [...nodes.values()].flatMap((node) => {
    const [point, span] = [points.get(node.id), spans.get(node.id)];
    if (!point || !span) return [];
    return [{ node, at: fit(point), r: Math.max(4, (nodeSize(node.kind, degrees.get(node.id) ?? 0).w / 2) * Math.min(1, scale * 1.2)), span }];
  });
  const rank = ({ node }: { node: GraphNode }): number => (node.kind === "User" ? 1e6 : 0) + (degrees.get(node.id) ?? 0);
  const wishes = [...found].sort((a, b) => rank(b) - rank(a) || (a.node.id < b.node.id ? -1 : 1)).map(({ node, at, r }): LabelWish => {
    const px = node.kind === "User" ? 18 : 14;
    return { id: node.id, x: at.x, y: at.y, halfWidth: r, halfHeight: r, width: textWidth(cutLabel(node.label), px) + 4, height: px + 4, forced: node.kind === "User" };
  });
  const labels = new Map(placeLabels(wishes, wishes.length).map(({ id, dx, dy }) => [id, { x: dx, y: dy }]));
  return found.map((one) => ({ ...one, label: labels.get(one.node.id) ?? null }));
}

/** Return how far the film is in a frame: seconds, and steps with their fraction; negative before the first step. */
export function timeOf(film: Film, frame: number): { seconds: number; steps: number; step: number } {
  const seconds = frame / FILM.fps;
  const each = (film.frames / FILM.fps - TITLE_S - END_S) / film.steps.length;
  const steps = (seconds - TITLE_S) / each;
  return { seconds, steps, step: Math.min(film.steps.length - 1, Math.floor(steps)) };
}

/** Return the opacity of an element, from 0 to 1, and the seconds since it came. */
export function standing(film: Film, span: Span, frame: number): { alpha: number; age: number } {
  const { steps } = timeOf(film, frame);
  const each = (film.frames / FILM.fps - TITLE_S - END_S) / film.steps.length;
  const age = (steps - span.from) * each;
  const gone = (steps - span.to) * each;
  const shown = Math.min(1, Math.max(0, age / FADE_S));
  return { alpha: gone > 0 ? Math.max(0, 1 - gone / FADE_S) : shown, age };
}

/** Draw one frame. */
export function drawFrame(pen: CanvasRenderingContext2D, film: Film, frame: number, theme: Theme, words: Words): void {
  const { steps, step } = timeOf(film, frame);
  pen.globalAlpha = 1;
  pen.fillStyle = GROUND[theme];
  pen.fillRect(0, 0, FILM.width, FILM.height);
  for (const { edge, from, to, span } of film.edges) {
    const { alpha, age } = standing(film, span, frame);
    if (alpha > 0) line(pen, edge, from, to, alpha, Math.min(1, age / FADE_S), theme);
  }
  for (const { node, at, r, label, span } of film.nodes) {
    const { alpha, age } = standing(film, span, frame);
    if (alpha > 0) dot(pen, node, at, r, label, alpha, age, theme);
  }
  pen.globalAlpha = 1;
  pen.textAlign = "left";
  write(pen, film.title, 40, 52, 24, INK[theme], 650);
  const now = film.steps[Math.max(0, step)] as Step;
  const isEnd = steps >= film.steps.length;
  const big = isEnd || steps < 0 ? null : now.caption;
  write(pen, isEnd ? film.end : words.date(new Date(now.atMs).toISOString()), 40, FILM.height - (big === null ? 44 : 76), 20, isEnd ? INK[theme] : MUTED[theme], isEnd ? 600 : 450);
  if (big !== null) write(pen, cutLabel(big, 96), 40, FILM.height - 40, 24, INK[theme], 600);
  pen.textAlign = "right";
  if (steps >= 0) write(pen, words.t("sure.left", { n: now.facts }), FILM.width - 40, 52, 20, MUTED[theme], 450);
  pen.fillStyle = ACCENT[theme];
  pen.fillRect(0, FILM.height - 6, (FILM.width * frame) / Math.max(1, film.frames - 1), 6);
}

function line(pen: CanvasRenderingContext2D, edge: GraphEdge, from: Point, to: Point, alpha: number, drawn: number, theme: Theme): void {
  const look = predicateLook(edge.predicate);
  pen.globalAlpha = alpha * 0.75;
  pen.strokeStyle = look.colour[theme];
  pen.lineWidth = edgeWidth(edge.predicate, edge.strength);
  pen.setLineDash(look.line === "dashed" ? [6, 4] : look.line === "dotted" ? [2, 3] : []);
  pen.beginPath();
  pen.moveTo(from.x, from.y);
  pen.lineTo(from.x + (to.x - from.x) * drawn, from.y + (to.y - from.y) * drawn);
  pen.stroke();
  pen.setLineDash([]);
}

function dot(pen: CanvasRenderingContext2D, node: GraphNode, at: Point, r: number, label: Point | null, alpha: number, age: number, theme: Theme): void {
  const colour = kindLook(node.kind).colour[theme];
  pen.fillStyle = pen.strokeStyle = colour;
  if (age < RING_S) {
    const share = age / RING_S;
    pen.globalAlpha = 1 - share;
    pen.lineWidth = 3;
    pen.beginPath();
    pen.arc(at.x, at.y, r + 30 * (1 - (1 - share) ** 3), 0, 2 * Math.PI);
    pen.stroke();
  }
  pen.globalAlpha = alpha;
  pen.beginPath();
  pen.arc(at.x, at.y, r, 0, 2 * Math.PI);
  pen.fill();
  if (label === null || alpha < FADED) return;
  pen.textAlign = "center";
  pen.lineWidth = 4;
  pen.lineJoin = "round";
  pen.strokeStyle = GROUND[theme];
  const isUser = node.kind === "User";
  const px = isUser ? 18 : 14;
  pen.font = `${isUser ? 650 : 450} ${px}px ${FONT}`;
  pen.strokeText(cutLabel(node.label), at.x + label.x, at.y + label.y + px * 0.35);
  write(pen, cutLabel(node.label), at.x + label.x, at.y + label.y + px * 0.35, px, INK[theme], isUser ? 650 : 450);
}

function write(pen: CanvasRenderingContext2D, text: string, x: number, y: number, px: number, colour: string, weight: number): void {
  pen.font = `${weight} ${px}px ${FONT}`;
  pen.fillStyle = colour;
  pen.fillText(text, x, y);
}
