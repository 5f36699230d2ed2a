/** What this browser remembers; where it may not, the page remembers until it is closed. */

export type KeyValues = Pick<Storage, "getItem" | "setItem">;

export const browserStorage: KeyValues = allowed() ?? forThisPage();

function allowed(): KeyValues | null {
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
