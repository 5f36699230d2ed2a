/** What this browser remembers; where it may not, the page remembers until it is closed. */

export type KeyValues = Pick<Storage, "getItem" | "setItem">;

export const browserStorage: KeyValues = allowed() ?? forThisPage();

/** Under this name stands that the hints of a first visit are known. */
export const HINTS = "mnemograph:hints";

/** How the page looks is nobody's secret; everything else goes when somebody signs out. */
export function forgetStored(): void {
  const kept = ["mnemograph:lang", "mnemograph:theme", HINTS];
  const storage = allowed();
  const names = storage ? Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? "") : [];
  for (const name of names) if (name.startsWith("mnemograph:") && !kept.includes(name)) storage?.removeItem(name);
}

function allowed(): Storage | null {
  try {
    return window.localStorage;
  } catch {
    // Reading the property itself throws where cookies are blocked.
    return null;
  }
}

function forThisPage(): KeyValues {
  const kept = new Map<string, string>();
  return { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => void kept.set(key, value) };
}
