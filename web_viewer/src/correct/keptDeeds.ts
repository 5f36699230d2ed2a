/** Merges and splits made in this browser: the service lists other corrections, and of these only what is merged now. */

import type { KeyValues } from "../view/browserStorage";
import type { Done } from "./corrections";

export class KeptDeeds {
  private readonly key: string;

  constructor(
    private readonly storage: KeyValues,
    tenant: string,
  ) {
    this.key = `mnemograph:deeds:${tenant}`;
  }

  read(): Done[] {
    try {
      const kept: unknown = JSON.parse(this.storage.getItem(this.key) ?? "[]");
      return Array.isArray(kept) ? kept.filter(isDone) : [];
    } catch {
      // A value of another program is the same as none.
      return [];
    }
  }

  write(done: readonly Done[]): void {
    try {
      this.storage.setItem(this.key, JSON.stringify(done));
    } catch {
      // A full storage costs the way back after a reload, and nothing else.
    }
  }
}

function isDone(one: unknown): one is Done {
  const { id, kind, text, at, back } = (one ?? {}) as Partial<Record<keyof Done, unknown>>;
  return typeof id === "string" && (kind === "MERGE" || kind === "SPLIT") && typeof text === "string" && typeof at === "string" && typeof back === "object" && back !== null;
}
