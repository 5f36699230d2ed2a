/** Messages that are stored but not read yet, of a memory in which nothing is known so far. */

import { type Ref, ref } from "vue";
import { askGraphql } from "../live/requests";
import type { Words } from "../i18n/words";
import { Throttle } from "../map/throttle";
import type { HelloAck } from "../protocol/frames";

const AGAIN_MS = 2_000;
const QUERY = `query($user: String) { stats(userId: $user) { messages } conversation(userId: $user, limit: 30) { read } }`;

/** Say that messages are stored, and whether they are being read; an older service does not tell, and reads them by default. */
export function unreadText(messages: number, hello: Pick<HelloAck, "auto_extract"> | null, words: Words): string {
  return words.t(hello?.auto_extract === false ? "sum.stored" : "sum.reading", { n: messages });
}

export interface UnreadHost {
  tenant: string;
  user(): string | null;
  /** Whether the service is connected and nothing is known. */
  isBlank(): boolean;
}

export class Unread {
  /** How many messages are stored while some are not read; null while everything is read, or something is known. */
  readonly messages: Ref<number | null> = ref(null);
  private readonly pace = new Throttle(() => void this.load(), AGAIN_MS);

  constructor(private readonly host: UnreadHost) {}

  /** Ask again soon, because something was said or changed. */
  ask(): void {
    if (this.host.isBlank()) this.pace.ask();
    else this.clear();
  }

  clear(): void {
    this.pace.stop();
    this.messages.value = null;
  }

  private async load(): Promise<void> {
    const user = this.host.user();
    try {
      const found = await askGraphql<{ stats: { messages: number }; conversation: { read: boolean }[] }>(QUERY, { user }, this.host.tenant);
      if (user !== this.host.user() || !this.host.isBlank()) return;
      this.messages.value = found.conversation.some((message) => !message.read) ? found.stats.messages : null;
      // Nothing tells the end of a reading that finds no facts.
      if (this.messages.value !== null) this.pace.ask();
    } catch {
      // The status bar shows that the service is away.
    }
  }
}
