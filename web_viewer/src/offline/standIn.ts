/** Stands in for a service that does not answer, and keeps what one person saw from the next. */

import type { LinkState } from "../live/connection";
import type { GraphStore } from "../graph/store";
import type { HelloAck, ServiceStatus } from "../protocol/frames";
import type { CopyKeeper } from "./keeper";

const SIGN_IN = 4401;
const CHANNEL = "mnemograph";
const LEFT = "signed out";

export interface StandInWorld {
  keeper: CopyKeeper;
  store: GraphStore;
  tenant: string;
  user(): string | null;
  /** Another memory was asked for and has not come. */
  opening(): boolean;
  linked(): boolean;
  /** What is shown turned out to be how things stand. */
  onSettled(): void;
  onMissing(missing: boolean): void;
  /** Nothing is to be seen any more of what was shown. */
  onCleared(): void;
}

export class StandIn {
  readonly keeper: CopyKeeper;
  /** For whom the copy was made that is shown; undefined while none is. */
  private shownFor: string | null | undefined;

  constructor(private readonly world: StandInWorld) {
    this.keeper = world.keeper;
  }

  linkIs(state: LinkState): void {
    if (state.name === "reconnecting" && this.world.opening()) void this.show();
    else if (state.name === "refused" && state.code === SIGN_IN) void this.leave();
    else if (state.name === "live") {
      this.keeper.reopen();
      this.world.onMissing(false);
    }
  }

  greeted(hello: HelloAck): void {
    const { store } = this.world;
    const holder = hello.holder ?? null;
    if (this.shownFor !== undefined && this.shownFor !== holder) this.clearShown();
    this.shownFor = undefined;
    void this.keeper.meet(holder, hello.until ?? null);
    const same = hello.epoch === store.state.epoch && hello.head === store.state.seq;
    if (hello.db === "up" && same && store.settle()) this.world.onSettled();
  }

  /** The database is back; what it has not sent yet follows as patches. */
  heard(status: ServiceStatus): void {
    if (status.db === "up" && this.world.store.settle()) this.world.onSettled();
  }

  /** Access has ended, by the service or by the person: nothing is kept and nothing stays in sight. */
  async leave(): Promise<void> {
    this.clearShown();
    await this.keeper.clear();
  }

  private async show(): Promise<void> {
    const { world } = this;
    const found = await this.keeper.last(world.tenant, world.user());
    if (world.linked() || !world.opening()) return;
    world.onMissing(found === null);
    if (found === null) return;
    this.shownFor = found.holder;
    world.store.take(found.frame);
  }

  private clearShown(): void {
    this.shownFor = undefined;
    this.world.store.reset();
    this.world.onCleared();
  }
}

/** Tells the other pages of this browser, which then ask for a sign-in too. */
export function tellOthers(): void {
  if (!("BroadcastChannel" in window)) return;
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage(LEFT);
  channel.close();
}

export function onOthersLeft(then: () => void): void {
  if ("BroadcastChannel" in window) new BroadcastChannel(CHANNEL).onmessage = (told) => told.data === LEFT && then();
}
