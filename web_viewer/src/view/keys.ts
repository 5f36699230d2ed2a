/** Which key asks for what; typing in a field is left alone. */

export type KeyAction = "search" | "fit" | "in" | "out" | "list" | "next" | "tidy" | "help" | "back" | "expand" | "ego" | "veil" | "path" | "undo" | "redo";

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
  e: "expand",
  g: "ego",
  h: "veil",
  p: "path",
  z: "undo",
};

export function keyAction(event: KeyboardEvent): KeyAction | null {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return null;
  const field = event.target instanceof Element && event.target.closest("input, select, textarea, dialog");
  if (field) return null;
  const action = KEYS[event.key.toLowerCase()] ?? null;
  return action === "undo" && event.shiftKey ? "redo" : action;
}
