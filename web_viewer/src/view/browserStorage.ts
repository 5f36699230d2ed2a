/** Values stored in this browser; where storage is blocked, kept until the page is closed. */

export type KeyValues = Pick<Storage, "getItem" | "setItem">;

export const browserStorage: KeyValues = allowed() ?? forThisPage();

/** Key that records that the first hints were dismissed. */
export const HINTS = "mnemoscene:hints";

/** Keys that are not private; all others are deleted at sign-out. */
export function forgetStored(): void {
  const kept = ["mnemoscene:lang", "mnemoscene:theme", HINTS];
  const storage = allowed();
  const names = storage ? Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? "") : [];
  for (const name of names) if (name.startsWith("mnemoscene:") && !kept.includes(name)) storage?.removeItem(name);
}

function allowed(): Storage | null {
  try {
    return window.localStorage;
  } catch {
    // Reading the property throws where cookies are blocked.
    return null;
  }
}

function forThisPage(): KeyValues {
  const kept = new Map<string, string>();
  return { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => void kept.set(key, value) };
}
