/** Move the view of the map; animated, unless the user prefers reduced motion. */

import type { CollectionReturnValue, Core } from "cytoscape";
import { NARROW } from "../view/chosen";
import { onScreen } from "./layer";
import type { Point } from "./place";

const MOVE_MS = 260;
/** Margin around what is drawn behind the nodes. */
const RIM = 4;
/** Margin for the labels of the outermost nodes. */
const FIT_SIDE = 104;
const FIT_SIDE_SHARE = 0.09;
const FIT_TOP = 40;
const FIT_ZOOM_MAX = 1.05;
const READING_ZOOM = 0.85;
const MARGIN = 60;
const MARGIN_SHARE = 0.12;
const LEAST_MARGIN = 24;
const LEAST_ROOM = 60;
/** Height of the row of tools below the map of a phone; a map that is lower than this has none. */
const TOOLS_BELOW = 60;
const TOOLS_FROM = 340;

interface Extent {
  x1: number;
  y1: number;
  x2: number;
  y2: number;
}

/**
 * Return the middle and zoom at which nodes have room for their labels, and nothing drawn behind them is cut.
 *
 * @param rims the outermost points of what is drawn behind the nodes.
 */
export function fitting(room: { width: number; height: number }, nodes: Extent, rims: readonly Point[]): { middle: Point; zoom: number } {
  const [xs, ys] = [[nodes.x1, nodes.x2, ...rims.map(({ x }) => x)], [nodes.y1, nodes.y2, ...rims.map(({ y }) => y)]];
  const middle = { x: (Math.min(...xs) + Math.max(...xs)) / 2, y: (Math.min(...ys) + Math.max(...ys)) / 2 };
  const zoomOf = (points: readonly Point[], side: number, above: number): number => {
    const [wide, high] = [Math.max(LEAST_ROOM, room.width - 2 * side) / 2, Math.max(LEAST_ROOM, room.height - 2 * above) / 2];
    return Math.min(...points.map(({ x, y }) => Math.min(wide / Math.max(1, Math.abs(x - middle.x)), high / Math.max(1, Math.abs(y - middle.y)))));
  };
  const corners = [{ x: nodes.x1, y: nodes.y1 }, { x: nodes.x2, y: nodes.y2 }];
  return { middle, zoom: Math.min(FIT_ZOOM_MAX, zoomOf(corners, Math.min(FIT_SIDE, room.width * FIT_SIDE_SHARE), FIT_TOP), zoomOf(rims, RIM, RIM)) };
}

/** How much of the map a panel covers, at its right or its bottom, in pixels. */
export interface Cover {
  right: number;
  bottom: number;
}

interface Sight {
  zoom: number;
  pan: Point;
}

export class Camera {
  private due = true;
  /** The user has not moved the map since it was fitted, so it may be fitted again after a resize. */
  private fitted = false;
  /** To be shown when the map is no longer hidden. */
  private wanted: (() => void) | null = null;
  /** Returns the points to keep in view while the map changes, until the user moves it; null if there are none. */
  private enclosed: (() => readonly Point[]) | null = null;
  /** Where a move that is under way ends. */
  private goal: Sight | null = null;
  /** Where the map was before it moved for a selection; null once it was moved otherwise. */
  private before: { pan: Point; fitted: boolean } | null = null;

  /** @param rims the outermost points of what is drawn behind the nodes, none while the map is focused on one of them. */
  constructor(
    private readonly cy: Core,
    private readonly rims: () => readonly Point[],
    private readonly cover: () => Cover = () => ({ right: 0, bottom: 0 }),
  ) {
    cy.on("dragpan scrollzoom pinchzoom", () => this.leave());
  }

  fit(atOnce = false): void {
    const { cy } = this;
    this.wanted = null;
    const first = this.due;
    this.due = this.hidden() || cy.elements().empty();
    if (this.due) return;
    const room = this.room();
    const below = room.height > TOOLS_FROM && window.matchMedia(NARROW).matches ? TOOLS_BELOW : 0;
    const { middle, zoom } = fitting({ width: room.width, height: room.height - below }, cy.nodes().boundingBox({}), this.rims());
    // The first picture is not animated.
    this.look({ x: middle.x, y: middle.y + below / 2 / zoom }, zoom, first || atOnce);
    this.fitted = true;
  }

  /** @returns whether it has fitted the window. */
  fitIfDue(): boolean {
    if (!this.due) return false;
    this.fit();
    return !this.due;
  }

  /** Keep in view what was in view when nodes arrive or move, as long as the user has not moved the map. */
  include(): void {
    const { cy, enclosed } = this;
    if (enclosed !== null && !enclosed().every((point) => this.sees(point, 0))) this.enclose(enclosed);
    if (!this.fitted) return;
    const box = cy.nodes().renderedBoundingBox({});
    if (box.x1 < 0 || box.y1 < 0 || box.x2 > cy.width() || box.y2 > cy.height()) this.fit();
  }

  /** Handle a resize. */
  keepFitted(): void {
    const { enclosed, wanted } = this;
    if (this.due || this.fitted) this.fit();
    if (enclosed !== null) this.enclose(enclosed);
    if (wanted && !this.hidden()) wanted();
  }

  /** Show what surrounds these points, zoomed in no further than reads well; if the map is hidden, when it is shown. */
  enclose(wanted: () => readonly Point[]): void {
    const points = wanted();
    if (this.hidden() || points.length === 0) {
      this.leave();
      this.enclosed = wanted;
      return;
    }
    const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)];
    const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    const room = this.room();
    const side = Math.min(FIT_SIDE, room.width * FIT_SIDE_SHARE) + Math.min(MARGIN, room.width * MARGIN_SHARE);
    const above = FIT_TOP + Math.min(MARGIN, room.height * MARGIN_SHARE);
    const wide = Math.max(LEAST_ROOM, room.width - 2 * side) / Math.max(right - left, 1);
    const high = Math.max(LEAST_ROOM, room.height - 2 * above) / Math.max(bottom - top, 1);
    this.look({ x: (left + right) / 2, y: (top + bottom) / 2 }, Math.min(READING_ZOOM, wide, high));
    this.enclosed = wanted;
  }

  frame(elements: CollectionReturnValue): void {
    this.glide({ fit: { eles: elements, padding: FIT_SIDE } });
  }

  /** Centre a point at once, at the current zoom. */
  jump(at: Point): void {
    const { cy } = this;
    if (this.hidden()) return;
    this.leave();
    cy.stop();
    cy.pan({ x: cy.width() / 2 - at.x * cy.zoom(), y: cy.height() / 2 - at.y * cy.zoom() });
  }

  /** Pan until a circular part of the map is in sight, or its middle where it is larger than the window; the zoom stays. */
  panTo(at: Point, radius: number): void {
    const rim = [{ x: at.x - radius, y: at.y - radius }, { x: at.x + radius, y: at.y + radius }];
    if (!this.reveal(rim)) this.centreOn(at);
  }

  /** Bring a circular part of the map into view, as large as it fits. */
  show(at: Point, radius: number): void {
    if (this.hidden()) return;
    const { width, height } = this.room();
    this.look(at, Math.min(FIT_ZOOM_MAX, Math.min(width, height - FIT_TOP) / (2 * radius + FIT_TOP)));
  }

  zoomBy(factor: number): void {
    const { width, height } = this.room();
    this.glide({ zoom: { level: this.cy.zoom() * factor, renderedPosition: { x: width / 2, y: height / 2 } } });
  }

  /** Centre a point at the same zoom. */
  centreOn(point: Point): void {
    this.wanted = this.hidden() ? () => this.centreOn(point) : null;
    if (!this.wanted) this.look(point, this.sight().zoom);
  }

  /**
   * Pan as far as these points need to be well visible, at the same zoom.
   *
   * @returns whether there is room for them at this zoom.
   */
  reveal(points: readonly Point[]): boolean {
    this.wanted = this.hidden() ? () => this.reveal(points) : null;
    if (this.wanted || points.length === 0) return true;
    const { zoom, pan } = this.sight();
    const { width, height } = this.room();
    const [dx, dy] = [shiftInto(points.map(({ x }) => x * zoom + pan.x), width), shiftInto(points.map(({ y }) => y * zoom + pan.y), height)];
    if (dx === null || dy === null) return false;
    if (dx !== 0 || dy !== 0) this.glide({ zoom, pan: { x: pan.x + dx, y: pan.y + dy } });
    return true;
  }

  /** As `reveal`, for a selection: `restore` goes back. */
  revealSelected(points: readonly Point[]): boolean {
    const before = this.before ?? { pan: this.sight().pan, fitted: this.fitted };
    const hasRoom = this.reveal(points);
    this.before = before;
    return hasRoom;
  }

  /** Go back to where the map was before something was selected, unless it was moved otherwise since. */
  restore(): void {
    const { before } = this;
    this.before = this.wanted = null;
    if (before === null || this.hidden()) return;
    this.glide({ zoom: this.sight().zoom, pan: before.pan });
    this.fitted = before.fitted;
  }

  /** Return the size of the part that no panel covers, which begins at the upper left. */
  private room(): { width: number; height: number } {
    const { right, bottom } = this.cover();
    return { width: Math.max(LEAST_ROOM, this.cy.width() - right), height: Math.max(LEAST_ROOM, this.cy.height() - bottom) };
  }

  /** Return where the map is, or goes. */
  private sight(): Sight {
    return this.goal ?? { zoom: this.cy.zoom(), pan: { ...this.cy.pan() } };
  }

  private sees(point: Point, margin: number): boolean {
    const { cy } = this;
    const at = onScreen({ zoom: cy.zoom(), pan: cy.pan(), width: cy.width(), height: cy.height() }, point);
    return at.x > margin && at.y > margin && at.x < cy.width() - margin && at.y < cy.height() - margin;
  }

  private hidden(): boolean {
    return this.cy.width() < LEAST_ROOM;
  }

  private leave(): void {
    this.fitted = false;
    this.enclosed = this.goal = this.before = null;
  }

  private look(middle: Point, zoom: number, atOnce = false): void {
    const { cy } = this;
    const { width, height } = this.room();
    const pan = { x: width / 2 - middle.x * zoom, y: height / 2 - middle.y * zoom };
    const isThere = Math.abs(cy.zoom() / zoom - 1) < 1e-6 && Math.abs(cy.pan().x - pan.x) + Math.abs(cy.pan().y - pan.y) < 0.1;
    // A move to where the map is would draw it a dozen times.
    if (!atOnce && !isThere) return this.glide({ zoom, pan });
    this.leave();
    cy.stop();
    cy.viewport({ zoom, pan });
  }

  private glide(target: Parameters<Core["animate"]>[0]): void {
    const still = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.leave();
    this.cy.stop();
    const goal = typeof target.zoom === "number" ? { zoom: target.zoom, pan: target.pan as Point } : null;
    this.goal = goal;
    const complete = (): void => void (this.goal === goal && (this.goal = null));
    this.cy.animate(target, { duration: still ? 0 : MOVE_MS, easing: "ease-out-cubic", complete });
  }
}

/** Return how far to shift positions on a line so that all are inside it, with a margin if there is room; null if they are too far apart. */
function shiftInto(positions: readonly number[], length: number): number | null {
  const [low, high] = [Math.min(...positions), Math.max(...positions)];
  if (high - low > length - 2 * LEAST_MARGIN) return null;
  const margin = Math.min(MARGIN, (length - (high - low)) / 2);
  if (low < margin) return margin - low;
  return high > length - margin ? length - margin - high : 0;
}
