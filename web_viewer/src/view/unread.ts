/** Messages that are stored but not read yet, of a memory in which nothing is known so far. */

import { type Ref, ref, shallowRef } from "vue";
import { askGraphql } from "../live/requests";
import type { Words } from "../i18n/words";
import { Throttle } from "../map/throttle";
import type { HelloAck } from "../protocol/frames";

const AGAIN_MS = 2_000;
const QUERY = `query($user: String) { stats(userId: $user) { messages } conversation(userId: $user, limit: 30) { read } }`;

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
  /** Null if nothing is stored, it is not known yet what is, or something is known. */
  readonly stored: Ref<Stored | null> = shallowRef(null);
  /** Nothing is known, and the service has not said yet whether that is because nothing is stored. */
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
      const found = await askGraphql<{ stats: { messages: number }; conversation: { read: boolean }[] }>(QUERY, { user }, this.host.tenant);
      if (user !== this.host.user() || !this.host.isBlank()) return;
      const { messages } = found.stats;
      this.stored.value = messages === 0 ? null : { messages, unread: found.conversation.some((message) => !message.read) };
      // Nothing tells the end of a reading that finds no facts.
      if (this.stored.value?.unread) this.pace.ask();
    } catch {
      // The status bar shows that the service is away.
    }
    this.isAnswered = true;
    this.isAsking.value = false;
  }
}
