/** Store splits made in this browser: the service does not list them with the other corrections. */

import type { KeyValues } from "../view/browserStorage";
import type { Done } from "./corrections";

export class StoredSplits {
  private readonly key: string;

  constructor(
    private readonly storage: KeyValues,
    tenant: string,
  ) {
    this.key = `mnemoscene:deeds:${tenant}`;
  }

  read(): Done[] {
    try {
      const kept: unknown = JSON.parse(this.storage.getItem(this.key) ?? "[]");
      return Array.isArray(kept) ? kept.filter(isDone) : [];
    } catch {
      // Ignore a value of another program.
      return [];
    }
  }

  write(done: readonly Done[]): void {
    try {
      this.storage.setItem(this.key, JSON.stringify(done));
    } catch {
      // With full storage these cannot be undone after a reload; nothing else is affected.
    }
  }
}

function isDone(one: unknown): one is Done {
  const { id, kind, text, at, back } = (one ?? {}) as Partial<Record<keyof Done, unknown>>;
  return typeof id === "string" && kind === "SPLIT" && typeof text === "string" && typeof at === "string" && typeof back === "object" && back !== null;
}
