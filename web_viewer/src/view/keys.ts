/** Keyboard shortcuts; typing in a field is ignored. */

import type { Tab } from "./address";

export type KeyAction = "search" | "fit" | "in" | "out" | "swap" | "next" | "tidy" | "help" | "back" | "expand" | "ego" | "veil" | "path" | "undo" | "redo" | "back in time" | "news" | "now" | "ambient" | "review" | "take" | Tab;

const KEYS: Record<string, KeyAction> = {
  "/": "search",
  f: "fit",
  "+": "in",
  "=": "in",
  "-": "out",
  l: "swap",
  n: "next",
  r: "tidy",
  "?": "help",
  escape: "back",
  e: "expand",
  g: "ego",
  h: "veil",
  p: "path",
  z: "undo",
  t: "back in time",
  c: "news",
  o: "now",
  a: "ambient",
  v: "review",
  x: "take",
  "1": "map",
  "2": "net",
  "3": "time",
  "4": "list",
};

/** Return whether the element that had the keyboard is gone or disabled. */
export function isFocusLost(): boolean {
  return (document.activeElement ?? document.body) === document.body;
}

export function keyAction(event: KeyboardEvent): KeyAction | null {
  if (event.altKey || event.isComposing) return null;
  const field = event.target instanceof Element && event.target.closest("input, select, textarea, dialog");
  if (field) return null;
  const action = KEYS[event.key.toLowerCase()] ?? null;
  if ((event.ctrlKey || event.metaKey) && action !== "undo") return null;
  return action === "undo" && event.shiftKey ? "redo" : action;
}
