/** The communities of the shown memory: fetched for the network view, opened one by one. */

import { type Ref, ref, shallowRef } from "vue";
import { askService, queryString, type Trouble, troubleOf } from "../live/requests";
import type { CommunityMap } from "../protocol/generated";
import { MEMBERS_MAX } from "../net/discs";
import type { Explore } from "./explore";

/** Above this number of elements the memory is shown as communities, which open one by one. */
export const WHOLE_MAX = 2_000;
const OPEN_MAX = 4;
const AGAIN_AFTER_MS = 30_000;
const LOOK_AGAIN_MS = 1_000;

export class Communities {
  readonly map: Ref<CommunityMap | null> = shallowRef(null);
  readonly open: Ref<ReadonlySet<string>> = shallowRef(new Set());
  readonly loading = ref(false);
  readonly failure: Ref<Trouble | null> = shallowRef(null);
  private askedMs = -Infinity;
  /** Changes with each wait for a time without searches, which ends the one before. */
  private waits = 0;

  constructor(
    private readonly tenant: string,
    private readonly explore: Explore,
    private readonly user: () => string | null,
    private readonly nowMs: () => number,
  ) {}

  /** Fetch the communities if there are none, or if the memory changed a while ago. */
  async load(seq: number, epoch: string | null): Promise<void> {
    const known = this.map.value;
    const current = known !== null && known.epoch === epoch && known.seq >= seq;
    const soon = known !== null && known.epoch === epoch && this.nowMs() - this.askedMs < AGAIN_AFTER_MS;
    if (current || soon || this.loading.value) return;
    const user = this.user();
    this.loading.value = true;
    this.askedMs = this.nowMs();
    try {
      const found = await askService<CommunityMap>(`explore/communities${queryString({ user })}`, this.tenant);
      if (user === this.user()) this.map.value = found;
      this.failure.value = null;
    } catch (error) {
      this.failure.value = troubleOf(error);
    } finally {
      this.loading.value = false;
    }
  }

  /** Fetch them once nobody searches, since computing those of a large memory makes a search take longer. */
  async loadWhenIdle(seq: number, epoch: string | null): Promise<void> {
    const mine = (this.waits += 1);
    do await new Promise((again) => setTimeout(again, LOOK_AGAIN_MS));
    while (mine === this.waits && !this.explore.isIdle());
    if (mine === this.waits) await this.load(seq, epoch);
  }

  /** Open one community; folds the least recently opened if too many are open. */
  async show(id: string): Promise<boolean> {
    const part = await this.explore.community(id, MEMBERS_MAX);
    const map = this.map.value;
    if (part === null || map === null) return false;
    // In a large memory only the leading members of each are known in advance.
    this.map.value = { ...map, community_of: { ...map.community_of, ...Object.fromEntries(part.nodes.map((node) => [node.id, id])) } };
    this.open.value = new Set([...[...this.open.value].filter((one) => one !== id), id].slice(-OPEN_MAX));
    // After the members are known, so that none is drawn outside of its community.
    this.explore.mergePart(part);
    return true;
  }

  fold(): void {
    this.open.value = new Set();
  }

  clear(): void {
    this.waits += 1;
    this.map.value = null;
    this.askedMs = -Infinity;
    this.fold();
  }
}
