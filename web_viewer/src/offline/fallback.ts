/** Show a stored copy if the service does not respond, and hide one user's data from the next user of the browser. */

import { type LinkState, QUARANTINED } from "../live/connection";
import type { GraphStore } from "../graph/store";
import type { HelloAck, Places, ServiceStatus } from "../protocol/frames";
import type { CopySync } from "./copySync";

const SIGN_IN = 4401;
const CHANNEL = "mnemoscene";
const LEFT = "signed out";

export interface FallbackContext {
  copySync: CopySync;
  store: GraphStore;
  tenant: string;
  user(): string | null;
  /** Another memory was requested and has not arrived. */
  opening(): boolean;
  linked(): boolean;
  /** The shown state turned out to be current. */
  onSettled(): void;
  /** Positions of the stored copy, before its nodes. */
  onPlaces(frame: Places): void;
  onMissing(missing: boolean): void;
  /** Nothing shown so far may be visible any longer. */
  onCleared(): void;
}

export class Fallback {
  readonly copySync: CopySync;
  /** The owner of the copy shown; undefined if none is shown. */
  private shownFor: string | null | undefined;

  constructor(private readonly context: FallbackContext) {
    this.copySync = context.copySync;
  }

  linkIs(state: LinkState): void {
    if (state.name === "reconnecting" && this.context.opening()) void this.show();
    else if (state.name === "refused" && state.code === SIGN_IN) void this.leave();
    else if (state.name === "refused" && state.code === QUARANTINED) this.quarantine();
    else if (state.name === "live") {
      this.copySync.reopen();
      this.context.onMissing(false);
    }
  }

  greeted(hello: HelloAck): void {
    const { store } = this.context;
    const holder = hello.principal ?? null;
    if (this.shownFor !== undefined && this.shownFor !== holder) this.clearShown();
    this.shownFor = undefined;
    void this.copySync.meet(holder, hello.access_expires_at ?? null);
    const same = hello.epoch === store.state.epoch && hello.head === store.state.seq;
    if (hello.db === "up" && same && store.settle()) this.context.onSettled();
  }

  /** The database is back; missing changes follow as patches. */
  heard(status: ServiceStatus): void {
    if (status.db === "up" && this.context.store.settle()) this.context.onSettled();
  }

  /** Access ended, by the service or by signing out: delete and hide everything. */
  async leave(): Promise<void> {
    this.clearShown();
    await this.copySync.clear();
  }

  /** Nobody may read the memory now, so its copies go too, or a page without the service would show one. */
  private quarantine(): void {
    this.clearShown();
    void this.copySync.drop(this.context.tenant);
  }

  private async show(): Promise<void> {
    const { context } = this;
    const found = await this.copySync.last(context.tenant, context.user());
    if (context.linked() || !context.opening()) return;
    context.onMissing(found === null);
    if (found === null) return;
    this.shownFor = found.holder;
    context.onPlaces(found.places);
    context.store.take(found.frame);
  }

  private clearShown(): void {
    this.shownFor = undefined;
    this.context.store.reset();
    this.context.onCleared();
  }
}

/** Notify the other pages of this browser, which then ask for a sign-in too. */
export function tellOthers(): void {
  if (!("BroadcastChannel" in window)) return;
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage(LEFT);
  channel.close();
}

export function onOthersLeft(then: () => void): void {
  if ("BroadcastChannel" in window) new BroadcastChannel(CHANNEL).onmessage = (told) => told.data === LEFT && then();
}
