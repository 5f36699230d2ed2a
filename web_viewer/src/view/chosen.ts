/** The user's choices: view, user, filters and times. */

import { type Lang, languageOf } from "../i18n/words";
import type { Theme } from "../map/palette";
import { readAddress, type Side, type Tab, writeAddress } from "./address";
import { browserStorage } from "./browserStorage";
import type { Moments } from "./moments";

export const NARROW = "(max-width: 719px)";

/** The part that undo restores. */
export interface ViewChoice {
  hidden: Set<string>;
  /** Minimum confidence of shown facts, 0 to 1. */
  confidence: number;
  /** Centre of an ego view. */
  ego: string | null;
  /** Nodes that the user hid. */
  veiled: Set<string>;
  /** Users whose scenes the map shows; those of others are folded into a badge. */
  unfolded: Set<string>;
}

export interface Chosen extends ViewChoice {
  tab: Tab;
  side: Side | null;
  user: string | null;
  sel: string | null;
  cursor: string | null;
  query: string;
  moments: Moments;
  lang: Lang;
  theme: Theme;
}

export function firstChoice(): Chosen {
  const address = readAddress(location.hash);
  const dark = window.matchMedia("(prefers-color-scheme: dark)").matches;
  const narrow = window.matchMedia(NARROW).matches;
  return {
    tab: address.tab ?? (narrow ? "list" : "map"),
    side: address.side,
    user: address.user,
    sel: address.sel,
    cursor: null,
    hidden: new Set(address.hide),
    confidence: address.sure,
    ego: address.ego,
    veiled: new Set(address.veil),
    unfolded: new Set(address.scenes),
    query: "",
    moments: { validAt: address.validAt, asOf: address.asOf },
    lang: (browserStorage.getItem("mnemoscene:lang") as Lang | null) ?? languageOf(navigator.languages),
    theme: (browserStorage.getItem("mnemoscene:theme") as Theme | null) ?? (dark ? "dark" : "light"),
  };
}

export function viewChoice(chosen: ViewChoice): ViewChoice {
  return { hidden: new Set(chosen.hidden), confidence: chosen.confidence, ego: chosen.ego, veiled: new Set(chosen.veiled), unfolded: new Set(chosen.unfolded) };
}

export function sameChoice(a: ViewChoice, b: ViewChoice): boolean {
  const same = (one: Set<string>, other: Set<string>): boolean => one.size === other.size && [...one].every((name) => other.has(name));
  return a.confidence === b.confidence && a.ego === b.ego && same(a.hidden, b.hidden) && same(a.veiled, b.veiled) && same(a.unfolded, b.unfolded);
}

/** Return the URL of the current choices. */
export function addressOf(chosen: Chosen, path: [string, string] | null): string {
  const { tab, side, user, sel, ego, moments } = chosen;
  return writeAddress({ tab, side, user, sel, hide: [...chosen.hidden], veil: [...chosen.veiled], scenes: [...chosen.unfolded], sure: chosen.confidence, ego, path, validAt: moments.validAt, asOf: moments.asOf });
}
