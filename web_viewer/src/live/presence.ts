/** Other viewers of the same memory: their number, their selections, and sending ours. */

import type { ClientFrame, Presence, SelectionSync } from "../protocol/frames";

export interface RemoteSelection {
  ids: readonly string[];
  focus: string | null;
  colour: number;
}

export interface PresenceState {
  /** Number of other viewers. */
  others: number;
  /** Selection of each viewer, by the service's name for it. */
  pointed: ReadonlyMap<string, RemoteSelection>;
}

export const ALONE: PresenceState = { others: 0, pointed: new Map() };

/** Reducer: a state and a frame give the next state. */
export function withFrame(state: PresenceState, frame: Presence | SelectionSync): PresenceState {
  if (frame.t === "presence") return { ...state, others: frame.others };
  const pointed = new Map(state.pointed);
  if (frame.ids === null || frame.ids.length === 0) pointed.delete(frame.viewer);
  else pointed.set(frame.viewer, { ids: frame.ids, focus: frame.focus, colour: frame.colour });
  return { ...state, pointed };
}

/** Return all selected ids of others, each with the colour of the last viewer who selected it. */
export function pointedAt(state: PresenceState): Map<string, number> {
  const found = new Map<string, number>();
  for (const one of state.pointed.values()) for (const id of one.ids) found.set(id, one.colour);
  return found;
}

const EVERY_MS = 150;

/** Send our selection: only the latest, and within the service's rate. */
export class Pointer {
  private clock = 0;
  private said: string | null = null;
  private wanted: string | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly send: (frame: ClientFrame) => boolean) {}

  point(id: string | null): void {
    this.wanted = id;
    this.timer ??= setTimeout(() => this.tell(), EVERY_MS);
  }

  /** Send the selection again on a new connection, which does not know it. */
  begin(): void {
    this.said = null;
    if (this.wanted !== null) this.point(this.wanted);
  }

  stop(): void {
    clearTimeout(this.timer);
  }

  private tell(): void {
    this.timer = undefined;
    const id = this.wanted;
    if (id === this.said) return;
    this.clock += 1;
    if (this.send({ t: "selection_sync", clock: this.clock, ids: id === null ? [] : [id], focus: id })) this.said = id;
  }
}
