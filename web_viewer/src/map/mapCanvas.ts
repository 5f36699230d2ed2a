/** Owns the Cytoscape instance and the canvases around it; independent of Vue. */

import cytoscape, { type Core, type EventObject } from "cytoscape";
import type { Words } from "../i18n/words";
import { linkWords } from "../graph/facts";
import type { Shown } from "../view/filters";
import { Camera, type Cover } from "./camera";
import { Elements, type Finish, PLAIN } from "./elements";
import { Layer, onScreen, type Viewport } from "./layer";
import type { Box } from "./labels";
import { FONT, LabelPainter } from "./paintLabels";
import { ACCENT, nodeColour, predicateLook, type Theme } from "./palette";
import { distanceToLine, type Point, rimOf, type Sector } from "./place";
import type { PlaceBook } from "./places";
import { Throttle } from "./throttle";
import { discBoxes, type Ground, paintDiscs } from "../net/paintDiscs";
import { Overview } from "./overview";
import { captionAngleSteps, captionBoxes, heldSectors, paintSectors, type SectorCaptions } from "./paintSectors";
import { boxSteps } from "./boxes";
import { chooseLineWords, type LineWord, lineWord, paintLineWords } from "./lineWords";
import { paintMarks, wordBoxes, worded } from "./paintMarks";
import { Pulses } from "./pulses";
import { labelled, type Marks, pointOut, pointsOutSame } from "./pointOut";
import { atOnce, inSlices, pause } from "./slices";
import { stylesheet } from "./style";
import { paintTypeIcons } from "./typeIcons";

export interface MapHost {
  big: HTMLElement;
  under: HTMLCanvasElement;
  over: HTMLCanvasElement;
  pulses: HTMLCanvasElement;
  mini: HTMLCanvasElement;
  /** What lies above the map and covers a part of it. */
  covers: readonly HTMLElement[];
  /** The panel that lies over the map; null without one. */
  overlay?(): HTMLElement | null;
}

export interface MapEvents {
  select(id: string | null): void;
  /** The context menu of a node was requested, by right-click or long press. */
  menu?(id: string, at: Point): void;
  /** The pointer rests on an element. */
  look(id: string): void;
  /** A node was dragged. */
  moved?(id: string, from: Point, to: Point): void;
  /** The zoom changed. */
  zoomed?(zoom: number): void;
}

const COMMIT_MS = 500;
const SETTLE_MS = 110;
const HOVER_MS = 50;
const TEXTURE_FROM = 2_000;
/** Half the width of an edge as a target for clicks: 24 px in all, as WCAG 2.2 asks. */
const EDGE_REACH_PX = 12;
const MENTION_FARTHER_PX = 4;
/** The pointer highlights an edge that is nearer than this, since it often rests beside edges. */
const EDGE_HOVER_PX = 6;
/** Number of nodes that an arrangement moves between two checks of the clock. */
const MOVED_AT_ONCE = 50;
/** Class of the main canvas without elements: each of its layers would be copied to the screen. */
const BLANK = "blank";

export class MapCanvas {
  private readonly cy: Core;
  private readonly camera: Camera;
  private readonly elements: Elements;
  private readonly under: Layer;
  private readonly over: Layer;
  private readonly overview: Overview;
  private readonly pulses: Pulses;
  private readonly pulseLayer: Layer;
  private readonly labels = new LabelPainter();
  private readonly pace = new Throttle(() => this.commit(), COMMIT_MS);
  private readonly watcher: ResizeObserver;
  private shown: Shown = { nodes: new Map(), edges: new Map() };
  private marks: Marks = { selected: null, cursor: null, matches: null, fresh: new Set(), others: new Map(), trail: null, recalled: null, partner: null, arrived: new Set() };
  private fans: Sector[] = [];
  private angles: ReadonlyMap<string, number> = new Map();
  private lineWords: readonly LineWord[] = [];
  private grounds: readonly Ground[] = [];
  private finish: Finish = PLAIN;
  /** Only the surroundings of one node are shown, without sectors. */
  private focused = false;
  private hovered: string | null = null;
  /** Something has changed on which the labels depend since they were chosen. */
  private labelsDue = true;
  /** Captions of sectors are drawn once their places are chosen, with the labels. */
  private captioned = false;
  /** Parts of the map under its tools; null until they are measured. */
  private covered: readonly Box[] | null = null;
  /** The map is hidden; changes are drawn when it is shown. */
  private away = false;
  private behind = false;
  private anew = false;
  /** Elements have been drawn, and the map reacts to the pointer. */
  private begun = false;
  /** Width, height and resolution that were last drawn in. */
  private size = "";
  /** Nothing is drawn. */
  private blank = true;
  /** A long press has opened a menu, so releasing it must not select the node. */
  private held = false;
  /** Changes with each arrangement, which ends the one before. */
  private moves = 0;
  /** Changes with each choice of labels, which ends the one before. */
  private choices = 0;
  private settle: ReturnType<typeof setTimeout> | undefined;
  private hoverTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly host: MapHost,
    private readonly places: PlaceBook,
    private readonly events: MapEvents,
    private theme: Theme,
    private words: Words,
  ) {
    host.big.classList.add(BLANK);
    this.cy = cytoscape({
      container: host.big,
      style: stylesheet(theme),
      layout: { name: "null" },
      minZoom: 0.05,
      maxZoom: 3,
      boxSelectionEnabled: false,
      autounselectify: true,
      hideEdgesOnViewport: false,
    });
    this.camera = new Camera(this.cy, () => (this.focused ? [] : this.fans.flatMap(rimOf)), () => this.overlaid());
    this.elements = new Elements(this.cy);
    this.under = new Layer(host.under);
    this.over = new Layer(host.over);
    this.overview = new Overview(host.mini, (at) => this.camera.jump(at));
    this.pulseLayer = new Layer(host.pulses);
    this.pulses = new Pulses(this.pulseLayer, {
      view: () => this.view(),
      place: (id) => (this.shown.nodes.has(id) || this.shown.edges.has(id) ? this.place(id) : undefined),
      colour: (id) => this.colour(id),
      pending: (id) => this.cy.getElementById(id).empty() && this.shown.nodes.has(id),
    });
    this.listen();
    this.watcher = new ResizeObserver(() => this.resize());
    this.watcher.observe(host.big);
    this.resize();
  }

  destroy(): void {
    this.watcher.disconnect();
    this.pace.stop();
    clearTimeout(this.settle);
    clearTimeout(this.hoverTimer);
    this.cy.destroy();
  }

  setShown(shown: Shown): void {
    if (shown === this.shown) return;
    this.shown = shown;
    if (this.away) this.behind = true;
    else if (this.begun) this.pace.ask();
    // Once the page has its layout, which elements change: an empty page has no filters.
    else queueMicrotask(() => this.commit());
  }

  /** Set looks that override the node kinds', and what is drawn behind the nodes. */
  setFinish(finish: Finish, grounds: readonly Ground[]): void {
    this.grounds = grounds;
    if (finish === this.finish) return;
    this.finish = finish;
    if (this.away) this.behind = true;
    else this.pace.ask();
  }

  setFocused(focused: boolean): void {
    this.focused = focused;
  }

  /** Move a node, unless the user is holding it. */
  moveTo(id: string, point: Point | undefined): void {
    const drawn = this.cy.getElementById(id);
    if (drawn.empty() || drawn.grabbed() || !point) return;
    drawn.position({ ...point });
    this.settleSoon();
  }

  /** Update the canvas now, because the user is waiting for it. */
  commitNow(): void {
    this.commit();
  }

  frame(at: Point, radius: number): void {
    this.camera.show(at, radius);
  }

  panTo(at: Point, radius: number): void {
    this.camera.panTo(at, radius);
  }

  /**
   * Draw everything again at once, after a change of lens or arrangement.
   *
   * @param atOnce fit the window without moving there.
   */
  redrawAll(atOnce = false): void {
    if (this.away) {
      this.behind = this.anew = true;
      return;
    }
    if (!this.begun) this.resize();
    const moved = this.putInPlace(this.shown.nodes.keys());
    const differs = this.elements.commit(this.shown, this.places.layout.points, this.finish);
    let fitted = false;
    if (differs || moved) fitted = this.dress();
    else {
      // The first picture was drawn when it arrived; sectors and discs may differ.
      this.holdSectors();
      this.settleSoon();
    }
    if (!fitted) this.camera.fit(atOnce);
  }

  /** Move all nodes to their positions after a change of arrangement, in slices that leave the page responsive. */
  async rearrange(): Promise<void> {
    if (this.away) return this.redrawAll();
    const mine = (this.moves += 1);
    // The arrangement may have been computed in this task.
    await pause();
    if (mine !== this.moves || this.cy.destroyed()) return;
    // Drawn once, when all are there: a frame takes longer than the rest.
    this.cy.startBatch();
    await inSlices(this.moveAll(), () => mine === this.moves);
    if (!this.cy.destroyed()) this.cy.endBatch();
  }

  private *moveAll(): Generator<void, true> {
    const ids = [...this.shown.nodes.keys()];
    for (let start = 0; start < ids.length; start += MOVED_AT_ONCE) {
      this.putInPlace(ids.slice(start, start + MOVED_AT_ONCE));
      yield;
    }
    // What the next frame would compute before it draws.
    this.cy.nodes().boundingBox({});
    yield;
    this.renderer().flushRenderedStyleQueue?.();
    yield;
    yield* boxSteps(this.cy);
    // Measuring has marked all elements as changed.
    this.renderer().flushRenderedStyleQueue?.();
    yield;
    // Hidden meanwhile, it is drawn when it is shown again.
    this.redrawAll(true);
    return true;
  }

  /** @returns whether any drawn node was elsewhere. */
  private putInPlace(ids: Iterable<string>): boolean {
    let moved = false;
    this.cy.batch(() => {
      for (const id of ids) {
        const [drawn, at] = [this.cy.getElementById(id), this.places.layout.points.get(id)];
        if (at === undefined || drawn.empty()) continue;
        const is = drawn.position();
        if (is.x === at.x && is.y === at.y) continue;
        drawn.position({ ...at });
        moved = true;
      }
    });
    return moved;
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    this.cy.style(stylesheet(theme));
    this.repaint();
  }

  setWords(words: Words): void {
    this.words = words;
    this.repaint();
  }

  setMarks(marks: Marks): void {
    const before = this.marks;
    this.marks = marks;
    if (this.away) {
      this.behind = true;
      return;
    }
    if (!pointsOutSame(before, marks)) {
      this.applyClasses();
      this.chooseLabels();
    }
    this.repaint();
  }

  pulse(ids: Iterable<string>): void {
    if (!window.matchMedia("(prefers-reduced-motion: reduce)").matches) this.pulses.start(ids);
  }

  fit(): void {
    this.camera.fit();
  }

  zoomBy(factor: number): void {
    this.camera.zoomBy(factor);
  }

  centreOn(id: string): void {
    const point = this.place(id);
    if (point) this.camera.centreOn(point);
  }

  /** Move the map to these elements, and after them until the user moves it. */
  enclose(ids: readonly string[]): void {
    this.camera.enclose(() => ids.flatMap((id) => (this.shown.nodes.has(id) || this.shown.edges.has(id) ? (this.place(id) ?? []) : [])));
  }

  reveal(id: string): void {
    this.camera.reveal(this.spots(id));
  }

  /**
   * Pan as far as a selection and what it is compared with need to be in sight. Only a pair that is too far apart for this
   * zoom is shown from further away.
   */
  revealSelected(id: string, partner: string | null): void {
    const pair = [id, ...(partner === null ? [] : [partner])];
    if (this.camera.revealSelected(pair.flatMap((one) => this.spots(one)))) return;
    if (partner !== null) return this.enclose(pair);
    const point = this.place(id);
    if (point) this.camera.revealSelected([point]);
  }

  /** Go back to where the map was before the selection. */
  restore(): void {
    this.camera.restore();
  }

  /** Return the number of elements on the main canvas. */
  drawn(): { nodes: number; edges: number } {
    return { nodes: this.cy.nodes().length, edges: this.cy.edges().length };
  }

  /** Return whether an element is on the main canvas and not dimmed, for tests. */
  bright(id: string): boolean {
    const drawn = this.cy.getElementById(id);
    return drawn.nonempty() && !drawn.hasClass("dim");
  }

  positions(): Record<string, [number, number]> {
    const found: Record<string, [number, number]> = {};
    this.cy.nodes().forEach((node) => {
      found[node.id()] = [Math.round(node.position().x), Math.round(node.position().y)];
    });
    return found;
  }

  /** Return the page position of an element, for tests that click on it. */
  onPage(id: string): Point | null {
    const point = this.place(id);
    if (!point) return null;
    const box = this.host.big.getBoundingClientRect();
    const at = onScreen(this.view(), point);
    return { x: box.left + at.x, y: box.top + at.y };
  }

  /** Return the texts and page boxes of the labels, for tests. */
  labelsOnPage(): (Box & { id: string; text: string })[] {
    const { left, top } = this.host.big.getBoundingClientRect();
    return this.labels.boxes(this.view(), (id) => this.places.layout.points.get(id)).map((box) => ({ ...box, x: box.x + left, y: box.y + top }));
  }

  private listen(): void {
    const { cy } = this;
    cy.on("render", () => this.repaint());
    cy.on("viewport", () => this.settleSoon());
    cy.on("zoom", () => this.events.zoomed?.(cy.zoom()));
  }

  /** Listen to the pointer once there is something under it: Cytoscape offers each event of each new element to all listeners. */
  private listenToPointer(): void {
    const { cy } = this;
    cy.on("tapstart", () => (this.held = false));
    cy.on("cxttap taphold", "node", (event: EventObject) => {
      // A mouse button held down is the start of a drag.
      if (event.type === "taphold" && !("touches" in event.originalEvent)) return;
      this.held = true;
      this.events.menu?.(event.target.id() as string, { ...event.renderedPosition });
    });
    cy.on("tap", (event: EventObject) => {
      if (!this.held) this.events.select(event.target === cy ? this.edgeNear(event.renderedPosition) : (event.target.id() as string));
    });
    cy.on("dbltap", "node", (event: EventObject) => this.camera.frame(event.target.closedNeighborhood()));
    cy.on("mouseover", "node, edge", (event: EventObject) => this.hover(event.target.id() as string));
    cy.on("mouseout", "node, edge", () => this.hover(null));
    cy.on("mousemove", (event: EventObject) => {
      if (event.target === cy) this.hoverNear({ ...event.renderedPosition });
    });
    this.host.big.addEventListener("pointerleave", () => this.hover(null));
    cy.on("drag", "node", (event: EventObject) => this.places.move(event.target.id() as string, event.target.position()));
    let grabbed: Point = { x: 0, y: 0 };
    cy.on("grab", "node", (event: EventObject) => (grabbed = { ...(event.target.position() as Point) }));
    cy.on("dragfree", "node", (event: EventObject) => {
      this.settleSoon();
      this.events.moved?.(event.target.id() as string, grabbed, { ...(event.target.position() as Point) });
    });
  }

  /** Return the edge closest to a point on the screen, so that a thin line need not be hit exactly; facts win over mentions. */
  private edgeNear(at: Point, reach = EDGE_REACH_PX): string | null {
    let found: string | null = null;
    let least = reach;
    for (const edge of this.shown.edges.values()) {
      const [from, to] = [this.placeOnScreen(edge.source), this.placeOnScreen(edge.target)];
      if (!from || !to) continue;
      const away = distanceToLine(at, from, to) + (edge.predicate === "MENTIONED" ? MENTION_FARTHER_PX : 0);
      if (away <= least) [found, least] = [edge.id, away];
    }
    return found;
  }

  private hover(id: string | null): void {
    this.rested(() => id);
  }

  private hoverNear(at: Point): void {
    this.rested(() => this.edgeNear(at, EDGE_HOVER_PX));
  }

  /** Once the pointer rests, find and highlight what is under it. */
  private rested(under: () => string | null): void {
    clearTimeout(this.hoverTimer);
    this.hoverTimer = setTimeout(() => this.lightUp(under()), HOVER_MS);
  }

  private lightUp(id: string | null): void {
    if (id === this.hovered) return;
    this.hovered = id;
    this.host.big.style.cursor = id ? "pointer" : "";
    this.applyClasses();
    this.chooseLabels();
    this.repaint();
    if (id) this.events.look(id);
  }

  private commit(): void {
    if (this.cy.destroyed()) return;
    // Drawn once, in the size that the page has now.
    if (!this.begun) this.resize();
    if (this.elements.commit(this.shown, this.places.layout.points, this.finish)) this.dress();
  }

  /** @returns whether it has fitted the window. */
  private dress(): boolean {
    // Cytoscape's canvas reads this on each frame; only the constructor option is documented.
    this.renderer().textureOnViewport = this.shown.nodes.size + this.shown.edges.size > TEXTURE_FROM;
    if (!this.begun && this.shown.nodes.size > 0) {
      this.begun = true;
      this.listenToPointer();
      this.host.big.classList.remove(BLANK);
    }
    this.holdSectors();
    this.applyClasses();
    const fitted = this.camera.fitIfDue();
    if (!fitted) this.camera.include();
    this.settleSoon();
    return fitted;
  }

  /** Cytoscape's canvas, whose methods are not documented. */
  private renderer(): { textureOnViewport: boolean; flushRenderedStyleQueue?(): void } {
    return (this.cy as unknown as { renderer(): ReturnType<MapCanvas["renderer"]> }).renderer();
  }

  private holdSectors(): void {
    this.fans = heldSectors(this.places.layout.sectors, this.shown.edges.values(), this.places.layout.points, this.shown.nodes);
  }

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.host.big;
    const size = `${width} ${height} ${window.devicePixelRatio}`;
    // Resizing clears the canvases.
    if (size === this.size) return;
    this.size = size;
    this.away = width < 10;
    this.covered = null;
    if (this.away) return;
    for (const layer of [this.under, this.over, this.pulseLayer]) layer.resize(width, height);
    this.cy.resize();
    if (this.behind) this.catchUp();
    this.camera.keepFitted();
    this.settleSoon();
    this.repaint();
  }

  private catchUp(): void {
    const { anew } = this;
    this.behind = this.anew = false;
    if (anew) return this.redrawAll();
    this.commit();
    this.applyClasses();
  }

  private applyClasses(): void {
    pointOut(this.cy, this.marks, this.hovered);
  }

  private settleSoon(): void {
    this.labelsDue = true;
    const mine = (this.choices += 1);
    clearTimeout(this.settle);
    this.settle = setTimeout(() => void inSlices(this.settleSteps(), () => mine === this.choices && !this.cy.destroyed()), SETTLE_MS);
  }

  private *settleSteps(): Generator<void, true> {
    this.overview.redraw({ points: this.places.layout.points, shown: this.shown.nodes, colour: (id) => this.finish.tint(id) ?? this.colour(id) });
    // It is hidden or shown by what the window shows, and labels keep clear of it.
    this.overview.paint(this.view(), this.theme);
    yield;
    if (this.labelsDue) {
      this.covered = null;
      yield* this.labelSteps(true);
      yield;
    }
    this.repaint();
    return true;
  }

  /** Choose the labels at once, as when the pointer rests on a node. Captions stay until the next settling, since no mark moves what they avoid. */
  private chooseLabels(): void {
    // What is due or being chosen is given up, and done afterwards.
    if (this.labelsDue) this.settleSoon();
    atOnce(this.labelSteps(false));
  }

  private *labelSteps(withCaptions: boolean): Generator<void, void> {
    const { pen } = this.over;
    if (!pen || this.cy.width() < 10) return;
    const nodes = labelled({
      cy: this.cy,
      nodes: this.shown.nodes,
      edges: this.shown.edges,
      points: this.places.layout.points,
      facts: this.elements.facts,
      marks: this.marks,
      hovered: this.hovered,
    });
    yield;
    // Kept here too: a step may be interrupted by a new drawing, which measures again.
    const covered = (this.covered ??= this.measureCovered());
    if (withCaptions) {
      this.angles = yield* captionAngleSteps(pen, this.view(), this.fans, this.captions(), nodes.map((node) => node.at), covered);
      this.captioned = true;
      yield;
    }
    yield* this.labels.choose(pen, this.view(), nodes, [
      ...wordBoxes(pen, { cy: this.cy, marks: this.marks, hovered: this.hovered, place: (id) => this.placeOnScreen(id), words: (id) => this.edgeWords(id) }),
      ...captionBoxes(pen, this.view(), this.fans, this.captions()),
      ...discBoxes(pen, this.view(), this.grounds, this.captions().font),
      ...covered,
    ]);
    if (!withCaptions) return;
    const taken = [...this.labels.boxes(this.view(), (id) => this.places.layout.points.get(id)), ...captionBoxes(pen, this.view(), this.fans, this.captions()), ...covered];
    this.lineWords = chooseLineWords(pen, this.view(), this.shown, (id) => this.placeOnScreen(id), (edge) => lineWord(edge, this.shown.nodes, this.words), taken);
    this.labelsDue = false;
  }

  /** Return the covered areas of the map; forces a layout of the page. */
  private measureCovered(): Box[] {
    const seen = this.host.covers.filter((one) => one.checkVisibility({ visibilityProperty: true }));
    return seen.map((one) => ({ x: one.offsetLeft, y: one.offsetTop, w: one.offsetWidth, h: one.offsetHeight }));
  }

  private repaint(): void {
    const blank = this.shown.nodes.size === 0 && this.grounds.length === 0 && this.fans.length === 0;
    if (blank && this.blank) return;
    this.blank = blank;
    const view = this.view();
    const dimmed = (id: string): boolean => this.cy.getElementById(id).hasClass("dim");
    this.overview.paint(view, this.theme);
    this.under.draw((pen) => {
      // A selection leaves the captions of those it concerns.
      const isFaint = (hub: string): boolean => (this.marks.recalled ?? this.marks.trail ?? this.marks.matches) !== null || dimmed(hub);
      paintSectors(pen, view, this.fans, this.theme, this.captioned ? this.captions() : null, isFaint);
      paintDiscs(pen, view, this.grounds, this.theme, this.captions().font);
    });
    const placed = (id: string): Point | undefined => (this.shown.nodes.has(id) ? this.places.layout.points.get(id) : undefined);
    this.over.draw((pen) => {
      paintTypeIcons(pen, view, this.elements.types, (id) => (this.cy.getElementById(id).data("w") as number | undefined) ?? 0, placed, this.theme, dimmed);
      // Those of the selection have their words already.
      const said = new Set(worded({ cy: this.cy, marks: this.marks, hovered: this.hovered }));
      paintLineWords(pen, view, this.lineWords, this.shown.edges, (id) => this.placeOnScreen(id), this.theme, (id) => said.has(id) || dimmed(id));
      this.labels.paint(pen, view, placed, this.theme, dimmed);
      paintMarks(pen, { cy: this.cy, marks: this.marks, pins: this.places.savedLayouts.pins, hovered: this.hovered, theme: this.theme, place: (id) => this.placeOnScreen(id), words: (id) => this.edgeWords(id), colour: (id) => this.colour(id) });
    });
  }

  private captions(): SectorCaptions {
    return { font: `600 12.5px ${FONT}`, angles: this.angles, text: (key) => this.words.group(key) };
  }

  private edgeWords(id: string): { text: string; struck: boolean } | null {
    const edge = this.shown.edges.get(id);
    return edge ? { text: linkWords(edge, this.words), struck: edge.invalid_at !== null } : null;
  }

  private view(): Viewport {
    return { zoom: this.cy.zoom(), pan: this.cy.pan(), width: this.cy.width(), height: this.cy.height() };
  }

  /** In map units; the middle of an edge. */
  private place(id: string): Point | undefined {
    const point = this.places.layout.points.get(id);
    if (point) return point;
    const edge = this.shown.edges.get(id);
    const from = edge && this.places.layout.points.get(edge.source);
    const to = edge && this.places.layout.points.get(edge.target);
    if (!from || !to) return undefined;
    const drawn = this.cy.getElementById(id);
    const middle = drawn.nonempty() && drawn.hasClass("parallel") ? (drawn as unknown as { midpoint(): Point }).midpoint() : null;
    return middle ?? { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 };
  }

  private placeOnScreen(id: string): Point | undefined {
    const point = this.place(id);
    return point && onScreen(this.view(), point);
  }

  /** Return the points of an element that should be seen: a fact's are its middle and both ends. */
  private spots(id: string): Point[] {
    const edge = this.shown.edges.get(id);
    return [id, ...(edge ? [edge.source, edge.target] : [])].flatMap((one) => this.place(one) ?? []);
  }

  /** Measure what the panel over the map covers; forces a layout of the page. */
  private overlaid(): Cover {
    const panel = this.host.overlay?.()?.getBoundingClientRect();
    if (!panel) return { right: 0, bottom: 0 };
    const map = this.host.big.getBoundingClientRect();
    return panel.left > map.left + 1 ? { right: map.right - panel.left, bottom: 0 } : { right: 0, bottom: map.bottom - panel.top };
  }

  private colour(id: string): string {
    const node = this.shown.nodes.get(id);
    if (node) return nodeColour(node.kind, this.elements.types.get(id), this.theme);
    const edge = this.shown.edges.get(id);
    return edge ? predicateLook(edge.predicate).colour[this.theme] : ACCENT[this.theme];
  }
}
