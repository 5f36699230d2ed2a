/** `window.__mnemoscene`: read-only access to the page's state for browser tests. */

import type { Box } from "../map/labels";
import type { Point } from "../map/place";
import type { Session } from "./session";

export interface Probe {
  readonly seq: number;
  readonly epoch: string | null;
  /** Number of elements shown after the filters, and in the page's graph. */
  readonly counts: { nodes: number; edges: number; held: { nodes: number; edges: number } };
  readonly selection: string | null;
  readonly cursor: string | null;
  readonly state: string;
  readonly tab: string;
  /** Elements on the view's main canvas. */
  drawn(): { nodes: number; edges: number };
  /** Positions of drawn nodes, in map units. */
  positions(): Record<string, [number, number]>;
  /** Page position of a node, or of the middle of an edge, in CSS pixels. */
  onPage(id: string): Point | null;
  /** Labels on the map with their page boxes, in CSS pixels. */
  labels(): (Box & { id: string; text: string })[];
  newIds(): string[];
  /** What the shown question recalled: ids with the rank of their first hit. */
  recalled(): Record<string, number>;
  /** Whether an element is on the canvas and not dimmed. */
  bright(id: string): boolean;
  /** Ids of shown elements, sorted. */
  ids(): string[];
}

declare global {
  interface Window {
    __mnemoscene?: Probe;
  }
}

export function publishProbe(session: Session, canvas: Pick<Probe, "drawn" | "positions" | "onPage" | "labels" | "bright">): void {
  const { chosen, fresh, graph, link, recalled, shown } = session;
  window.__mnemoscene = Object.freeze({
    get seq() {
      return graph.value.seq;
    },
    get epoch() {
      return graph.value.epoch;
    },
    get counts() {
      const held = { nodes: graph.value.nodes.size, edges: graph.value.edges.size };
      return { nodes: shown.value.nodes.size, edges: shown.value.edges.size, held };
    },
    get selection() {
      return chosen.sel;
    },
    get cursor() {
      return chosen.cursor;
    },
    get state() {
      return link.value.name;
    },
    get tab() {
      return chosen.tab;
    },
    ...canvas,
    newIds: () => [...fresh.value],
    recalled: () => Object.fromEntries([...(recalled.value ?? [])].map(([id, ranks]) => [id, ranks[0] ?? 0])),
    ids: () => [...shown.value.nodes.keys(), ...shown.value.edges.keys()].sort(),
  });
}
