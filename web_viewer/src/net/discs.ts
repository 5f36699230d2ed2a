/** Lay out communities: each in a disc with room for its members, around the user it belongs to. Pure. */

import { type Point, STRETCH } from "../map/place";
import type { CommunityLink, CommunityView } from "../protocol/generated";

export interface Disc {
  id: string;
  x: number;
  y: number;
  r: number;
  /** Index into the community colours. */
  hue: number;
}

/** Most members shown of one community. */
export const MEMBERS_MAX = 160;
export const HUES = 8;
export const PERSON_R = 80;
const GAP = 46;
const CLUSTER_GAP = 160;
const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5));

export function discRadius(members: number): number {
  return 48 + 31 * Math.sqrt(Math.min(members, MEMBERS_MAX));
}

/** The communities of one user, or of none, that are laid out together. */
interface Family {
  person: string | null;
  communities: CommunityView[];
}

/**
 * Return a disc for each community; known ones keep their position and colour.
 *
 * @param people node ids by user.
 */
export function placeDiscs(known: ReadonlyMap<string, Disc>, communities: readonly CommunityView[], people: ReadonlyMap<string, string>, ties: readonly CommunityLink[]): Map<string, Disc> {
  const discs = new Map<string, Disc>();
  for (const id of [...people.values(), ...communities.map((one) => one.id)]) {
    const disc = known.get(id);
    if (disc) discs.set(id, disc);
  }
  for (const family of familiesOf(communities, people)) {
    const missing = family.communities.some((one) => !discs.has(one.id)) || (family.person !== null && !discs.has(family.person));
    if (!missing) continue;
    const fresh = [family.person, ...family.communities.map((one) => one.id)].every((id) => id === null || !discs.has(id));
    // A new family is laid out by itself and then put beside the others as a whole.
    const own = familyAround(family, fresh ? new Map() : discs, ties);
    const placed = fresh ? moved(own, freeCentre(own, discs)) : own;
    for (const [id, disc] of placed) if (!discs.has(id)) discs.set(id, disc);
  }
  return discs;
}

function familiesOf(communities: readonly CommunityView[], people: ReadonlyMap<string, string>): Family[] {
  const families = new Map<string, Family>();
  for (const [user, person] of people) families.set(user, { person, communities: [] });
  for (const one of communities) {
    const family = families.get(one.user_id) ?? { person: null, communities: [] };
    family.communities.push(one);
    families.set(one.user_id, family);
  }
  const size = (family: Family): number => family.communities.reduce((sum, one) => sum + one.members.nodes, 0);
  return [...families].sort(([a, one], [b, other]) => size(other) - size(one) || (a < b ? -1 : 1)).map(([, family]) => family);
}

/** Put the user in the middle, then the largest communities first, each near those it has most edges to. */
function familyAround(family: Family, others: ReadonlyMap<string, Disc>, ties: readonly CommunityLink[]): Map<string, Disc> {
  const placed = new Map<string, Disc>(others);
  const mine = new Map<string, Disc>();
  const put = (id: string, r: number, anchor: Point): void => {
    const at = freeSpot(anchor, r, placed.values());
    const disc = others.get(id) ?? { id, ...at, r, hue: hueFor(at, placed.values()) };
    placed.set(id, disc);
    mine.set(id, disc);
  };
  if (family.person !== null) put(family.person, PERSON_R, { x: 0, y: 0 });
  const home = family.person === null ? { x: 0, y: 0 } : (placed.get(family.person) as Disc);
  const sorted = [...family.communities].sort((a, b) => b.members.nodes - a.members.nodes || (a.id < b.id ? -1 : 1));
  for (const one of sorted) put(one.id, discRadius(one.members.nodes), anchorOf(one.id, family.person, ties, placed) ?? home);
  return mine;
}

/** Return the centre of the connected communities; the user is ignored, since all communities connect to it. */
function anchorOf(id: string, person: string | null, ties: readonly CommunityLink[], placed: ReadonlyMap<string, Disc>): Point | null {
  let x = 0;
  let y = 0;
  let weight = 0;
  for (const tie of ties) {
    const other = tie.source === id ? tie.target : tie.target === id ? tie.source : null;
    const disc = other === null || other === person ? undefined : placed.get(other);
    if (!disc) continue;
    x += disc.x * tie.edges;
    y += disc.y * tie.edges;
    weight += tie.edges;
  }
  return weight === 0 ? null : { x: x / weight, y: y / weight };
}

/** Points of the spiral in `freeSpot`, computed once, since each disc passes thousands; columns of numbers, which are faster than points. */
const SPIRAL: { xs: number[]; ys: number[] } = { xs: [], ys: [] };
/** Points of the spiral with this many between them are next to each other: a Fibonacci number, by the golden angle. */
const TURNS_APART = 89;

/** Return the spot nearest to a point where a disc of this size overlaps none of the others. */
export function freeSpot(anchor: Point, r: number, placed: Iterable<Disc>): Point {
  const all = [...placed];
  const { xs, ys } = SPIRAL;
  // What covers one point of the spiral most often covers the next to it too: compared first, it saves nearly all comparisons.
  const blockers: Disc[] = [];
  for (let step = 0; ; step += 1) {
    if (step === xs.length) {
      const away = 22 * Math.sqrt(step);
      xs.push(Math.cos(step * GOLDEN_ANGLE) * away * STRETCH);
      ys.push(Math.sin(step * GOLDEN_ANGLE) * away);
    }
    const [x, y] = [anchor.x + (xs[step] as number), anchor.y + (ys[step] as number)];
    const near = blockers[step - TURNS_APART];
    const blocker = near !== undefined && overlap(near, x, y, r) ? near : all.find((disc) => overlap(disc, x, y, r));
    if (blocker === undefined) return { x, y };
    blockers.push(blocker);
  }
}

/** Return whether a disc of this size at a point would come too close to another. */
function overlap(disc: Disc, x: number, y: number, r: number): boolean {
  const [dx, dy, apart] = [disc.x - x, disc.y - y, disc.r + r + GAP];
  return dx * dx + dy * dy < apart * apart;
}

/** Return the colour whose nearest use is farthest from a point. */
function hueFor(at: Point, placed: Iterable<Disc>): number {
  const near = new Array<number>(HUES).fill(Infinity);
  for (const disc of placed) near[disc.hue] = Math.min(near[disc.hue] as number, Math.hypot(disc.x - at.x, disc.y - at.y));
  return near.indexOf(Math.max(...near));
}

function freeCentre(family: ReadonlyMap<string, Disc>, discs: ReadonlyMap<string, Disc>): Point {
  if (discs.size === 0) return { x: 0, y: 0 };
  const radius = Math.max(...[...family.values()].map((disc) => Math.hypot(disc.x, disc.y) + disc.r));
  return freeSpot({ x: 0, y: 0 }, radius + CLUSTER_GAP, discs.values());
}

function moved(family: ReadonlyMap<string, Disc>, by: Point): Map<string, Disc> {
  return new Map([...family].map(([id, disc]) => [id, { ...disc, x: disc.x + by.x, y: disc.y + by.y }]));
}

/** Place the members of a community in its disc: highest degree in the middle, neighbours close, no overlaps. */
export function placeMembers(ids: readonly string[], links: readonly (readonly [string, string])[], disc: Disc): Map<string, Point> {
  const room = disc.r - 26;
  const step = Math.min(58, ids.length > 1 ? room / Math.sqrt(ids.length) : 0);
  // Columns of numbers: a community opens while its user waits, often before any of this is compiled.
  const xs = Float64Array.from(ids, (_, index) => Math.cos(index * GOLDEN_ANGLE) * step * Math.sqrt(index));
  const ys = Float64Array.from(ids, (_, index) => Math.sin(index * GOLDEN_ANGLE) * step * Math.sqrt(index));
  const at = new Map(ids.map((id, index) => [id, index]));
  const pairs = links.flatMap(([a, b]) => (at.has(a) && at.has(b) ? [[at.get(a) as number, at.get(b) as number] as const] : []));
  const degrees = new Uint32Array(ids.length);
  for (const [a, b] of pairs) for (const end of [a, b]) degrees[end] = (degrees[end] as number) + 1;
  for (let round = 0; round < ROUNDS; round += 1) {
    if (round < ROUNDS / 2) pull(xs, ys, pairs, degrees);
    const moved = pushApart(xs, ys, step * 1.5, room);
    if (round >= ROUNDS / 2 && moved < STILL) break;
  }
  return new Map(ids.map((id, index) => [id, { x: disc.x + (xs[index] as number), y: disc.y + (ys[index] as number) }]));
}

const ROUNDS = 40;
/** Map units that nobody sees a node move. */
const STILL = 0.5;

/** Move both ends of each edge a little towards each other, less for nodes of high degree. */
function pull(xs: Float64Array, ys: Float64Array, pairs: readonly (readonly [number, number])[], degrees: Uint32Array): void {
  for (const [a, b] of pairs) {
    const dx = (xs[b] as number) - (xs[a] as number);
    const dy = (ys[b] as number) - (ys[a] as number);
    const mine = 0.2 / (degrees[a] as number);
    const theirs = 0.2 / (degrees[b] as number);
    xs[a] = (xs[a] as number) + dx * mine;
    ys[a] = (ys[a] as number) + dy * mine;
    xs[b] = (xs[b] as number) - dx * theirs;
    ys[b] = (ys[b] as number) - dy * theirs;
  }
}

/** @returns the longest push. */
function pushApart(xs: Float64Array, ys: Float64Array, apart: number, room: number): number {
  let most = 0;
  for (let i = 0; i < xs.length; i += 1) {
    let x = xs[i] as number;
    let y = ys[i] as number;
    for (let j = 0; j < i; j += 1) {
      const dy = (ys[j] as number) - y;
      // Most pairs are far apart, and `Math.hypot` is slow.
      if (dy >= apart || -dy >= apart) continue;
      const dx = (xs[j] as number) - x || 0.01 * (i - j);
      const square = dx * dx + dy * dy;
      if (square >= apart * apart) continue;
      const far = Math.sqrt(square);
      const push = (apart - far) / far / 2;
      most = Math.max(most, (apart - far) / 2);
      x -= dx * push;
      y -= dy * push;
      xs[j] = (xs[j] as number) + dx * push;
      ys[j] = (ys[j] as number) + dy * push;
    }
    xs[i] = x;
    ys[i] = y;
  }
  for (let i = 0; i < xs.length; i += 1) {
    const far = Math.hypot(xs[i] as number, ys[i] as number);
    if (far <= room) continue;
    xs[i] = ((xs[i] as number) * room) / far;
    ys[i] = ((ys[i] as number) * room) / far;
  }
  return most;
}
