/** Messages that are stored but not read yet, of a memory in which nothing is known so far. */

import { type Ref, ref, shallowRef } from "vue";
import { askGraphql } from "../live/requests";
import type { Words } from "../i18n/words";
import { Throttle } from "../map/throttle";
import type { HelloAck } from "../protocol/frames";

const AGAIN_MS = 2_000;
const QUERY = `query($user: String) { stats(userId: $user) { messages } messages(userId: $user, first: 30, newestFirst: true) { nodes { isRead } } }`;

/** What is stored of a memory in which nothing is known so far. */
export interface Stored {
  messages: number;
  /** Some of them are not read yet. */
  unread: boolean;
}

/** Say that messages are stored, and whether they are being read; an older service does not tell, and reads them by default. */
export function unreadText({ messages, unread }: Stored, hello: Pick<HelloAck, "auto_extract"> | null, words: Words): string {
  return words.t(!unread ? "sum.none" : hello?.auto_extract === false ? "sum.stored" : "sum.reading", { n: messages });
}

export interface UnreadHost {
  tenant: string;
  user(): string | null;
  /** Whether the service is connected and nothing is known. */
  isBlank(): boolean;
}

export class Unread {
  /** Null if nothing is stored, if that is not known yet, or if the memory has facts. */
  readonly stored: Ref<Stored | null> = shallowRef(null);
  /** The memory has no facts, and the service has not said yet whether it has messages. */
  readonly isAsking = ref(false);
  private isAnswered = false;
  private readonly pace = new Throttle(() => void this.load(), AGAIN_MS);

  constructor(private readonly host: UnreadHost) {}

  /** Ask again soon, because something was said or changed. */
  ask(): void {
    if (!this.host.isBlank()) return this.clear();
    this.isAsking.value = !this.isAnswered;
    this.pace.ask();
  }

  clear(): void {
    this.pace.stop();
    this.stored.value = null;
    this.isAsking.value = this.isAnswered = false;
  }

  private async load(): Promise<void> {
    const user = this.host.user();
    try {
      const found = await askGraphql<{ stats: { messages: number }; messages: { nodes: { isRead: boolean }[] } }>(QUERY, { user }, this.host.tenant);
      if (user !== this.host.user() || !this.host.isBlank()) return;
      const { messages } = found.stats;
      this.stored.value = messages === 0 ? null : { messages, unread: found.messages.nodes.some((message) => !message.isRead) };
      // No frame announces that reading ended without facts.
      if (this.stored.value?.unread) this.pace.ask();
    } catch {
      // The status bar shows that the service is away.
    }
    this.isAnswered = true;
    this.isAsking.value = false;
  }
}
