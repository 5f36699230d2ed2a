/** Positions that the service stores for all viewers of a view: those it sent, and those this page is to send. */

import type { PlaceNodes, Places as StoredPlaces } from "../protocol/generated";

/** What is stored of one node: x, y, 1 if pinned, and of some the geometry of their sectors or disc. */
export type Place = number[];
/** The map, the network of a small memory, or that of a large one. */
export type View = NonNullable<PlaceNodes["view"]>;

/** Time to gather what arrives together, and between two frames. */
const SEND_AFTER_MS = 300;
/** After this time without confirmation, what the service sent counts, not what this page sent. */
const DOUBT_MS = 2_000;
/** The service accepts frames of 250 positions and 16 KiB; a position has an id of 36 characters. */
const AT_ONCE = 200;
const CHARS_AT_ONCE = 14_000;
const ID_CHARS = 44;
/** Positions of nodes that are unknown, because they were removed or are not loaded. */
const OTHERS_MAX = 10_000;

export class SharedPlaces {
  /** Whose view this is; null for everybody's. */
  user: string | null = null;
  /** Number of the last positions that were received. */
  seq = 0;
  private readonly known = new Map<string, Place>();
  /** Nodes whose position is to be sent, and whether one that is stored already wins. */
  private readonly queue = new Map<string, boolean>();
  /** The same for nodes that were sent, until the service sends them back. */
  private readonly sent = new Map<string, boolean>();
  private allowed = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** Nodes for which something else came back than was sent last: an earlier position of this page, or another viewer's. */
  private readonly doubtful = new Set<string>();
  private doubts: ReturnType<typeof setTimeout> | undefined;

  private placeOf: (id: string) => Place | null = () => null;
  private onStored: (ids: readonly string[]) => void = () => undefined;

  /** @param send returns whether the connection was open. */
  constructor(
    private readonly view: View,
    private readonly send: (frame: PlaceNodes) => boolean = () => false,
  ) {}

  /**
   * Connect with what draws the nodes.
   *
   * @param placeOf returns what is to be stored of a node; null for what is only drawn.
   * @param onStored called with the nodes that stand where the service says from now on; not those whose later position is still to be sent.
   */
  attach(placeOf: (id: string) => Place | null, onStored: (ids: readonly string[]) => void): void {
    this.flushAll();
    this.placeOf = placeOf;
    this.onStored = onStored;
  }

  /** Begin with the view of another user, whose positions the service sends before its nodes. */
  open(user: string | null): void {
    this.flushAll();
    clearTimeout(this.timer);
    this.timer = undefined;
    for (const one of [this.known, this.queue, this.sent, this.doubtful]) one.clear();
    this.user = user;
    this.seq = 0;
  }

  /** Set whether the service accepts positions now; once it does, send again what it may not have received. */
  allow(allowed: boolean): void {
    this.allowed = allowed;
    if (!allowed) return;
    for (const [id, keep] of this.sent) if (!this.queue.has(id)) this.queue.set(id, keep);
    this.sent.clear();
    this.sendSoon();
  }

  at(id: string): Place | undefined {
    return this.known.get(id);
  }

  /** All positions that the service stores. */
  get rows(): [string, Place][] {
    return [...this.known];
  }

  /** Remember where a node is that is being removed. */
  keep(id: string, place: Place): void {
    this.known.delete(id);
    this.known.set(id, place);
    for (const oldest of this.known.keys()) {
      if (this.known.size <= OTHERS_MAX) return;
      this.known.delete(oldest);
    }
  }

  receive(frame: StoredPlaces): void {
    if (frame.user !== this.user) return;
    this.seq = frame.seq;
    const news: string[] = [];
    for (const [id, place] of frame.places[this.view] ?? []) {
      this.keep(id, place);
      if (this.queue.get(id) === false) continue;
      if (this.sent.get(id) === false && !samePlace(place, this.placeOf(id) ?? undefined)) {
        this.doubtful.add(id);
        this.doubts ??= setTimeout(() => this.settle(), DOUBT_MS);
        continue;
      }
      this.sent.delete(id);
      this.doubtful.delete(id);
      this.queue.delete(id);
      news.push(id);
    }
    if (news.length > 0) this.onStored(news);
  }

  private settle(): void {
    this.doubts = undefined;
    const ids = [...this.doubtful].filter((id) => this.queue.get(id) !== false);
    this.doubtful.clear();
    for (const id of ids) this.sent.delete(id);
    if (ids.length > 0) this.onStored(ids);
  }

  /** @param keep positions that are stored already win, since these were only computed. */
  share(ids: Iterable<string>, keep: boolean): void {
    for (const id of ids) this.queue.set(id, keep && (this.queue.get(id) ?? true));
    this.sendSoon();
  }

  /** Send what is waiting, as much as fits into one frame. @returns whether anything was sent. */
  flush(): boolean {
    if (!this.allowed) return false;
    // First what was dragged: the page may be closed next.
    const keep = ![...this.queue.values()].includes(false);
    const ids = [...this.queue].filter(([, one]) => one === keep).map(([id]) => id);
    const places: [string, Place][] = [];
    let chars = 0;
    for (const id of ids) {
      if (places.length === AT_ONCE || chars > CHARS_AT_ONCE) break;
      const place = this.placeOf(id);
      if (place !== null && (keep || !samePlace(place, this.known.get(id)))) {
        places.push([id, place]);
        chars += ID_CHARS + JSON.stringify(place).length;
      } else this.queue.delete(id);
    }
    if (places.length === 0) {
      if (this.queue.size > 0) this.sendSoon();
      return false;
    }
    if (!this.send({ t: "place", user: this.user, view: this.view, keep, places })) return false;
    for (const [id] of places) {
      this.queue.delete(id);
      this.sent.set(id, keep);
    }
    if (this.queue.size > 0) this.sendSoon();
    return true;
  }

  private flushAll(): void {
    while (this.queue.size > 0 && this.flush());
  }

  private sendSoon(): void {
    if (this.timer !== undefined || !this.allowed || this.queue.size === 0) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.flush();
    }, SEND_AFTER_MS);
  }
}

function samePlace(one: Place, other: Place | undefined): boolean {
  return other !== undefined && one.length === other.length && one.every((value, index) => value === other[index]);
}
