/** Which key asks for what; typing in a field is left alone. */

export type KeyAction = "search" | "fit" | "in" | "out" | "list" | "next" | "tidy" | "help" | "back";

const KEYS: Record<string, KeyAction> = {
  "/": "search",
  f: "fit",
  "+": "in",
  "=": "in",
  "-": "out",
  l: "list",
  n: "next",
  r: "tidy",
  "?": "help",
  escape: "back",
};

export function keyAction(event: KeyboardEvent): KeyAction | null {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return null;
  const field = event.target instanceof Element && event.target.closest("input, select, textarea, dialog");
  return field ? null : (KEYS[event.key.toLowerCase()] ?? null);
}
