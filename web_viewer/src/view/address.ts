/** The view as a URL: all choices are in the page's address. */

export const TABS = ["map", "net", "time", "list"] as const;
export type Tab = (typeof TABS)[number];
/** Panels beside the view. */
export const SIDES = ["now", "review"] as const;
export type Side = (typeof SIDES)[number];

export interface Address {
  /** Null to choose by the width of the window. */
  tab: Tab | null;
  side: Side | null;
  user: string | null;
  sel: string | null;
  hide: string[];
  /** Ids of hidden nodes. */
  veil: string[];
  /** Users whose scenes the map shows. */
  scenes: string[];
  /** Minimum confidence of shown facts, 0 to 1. */
  sure: number;
  ego: string | null;
  /** Both ends of a path. */
  path: [string, string] | null;
  validAt: string | null;
  asOf: string | null;
}

/** Limit the length of a URL. */
const VEIL_MAX = 30;

export function readAddress(hash: string): Address {
  const [tab = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const chosen = new URLSearchParams(query);
  const list = (name: string): string[] => (chosen.get(name) ?? "").split(",").filter((one) => one !== "");
  const sure = Number(chosen.get("sure") ?? 0);
  const ends = [chosen.get("from"), chosen.get("to")];
  return {
    tab: TABS.find((one) => one === tab) ?? null,
    side: SIDES.find((one) => one === chosen.get("side")) ?? null,
    user: chosen.get("user") || null,
    sel: chosen.get("sel") || null,
    hide: list("hide"),
    veil: list("veil"),
    scenes: list("scenes"),
    sure: sure > 0 && sure <= 1 ? sure : 0,
    ego: chosen.get("around") || null,
    path: ends[0] && ends[1] ? [ends[0], ends[1]] : null,
    validAt: momentIn(chosen.get("true")),
    asOf: momentIn(chosen.get("known")),
  };
}

export function writeAddress(address: Address): string {
  const chosen = new URLSearchParams();
  const put = (name: string, value: string | null): void => void (value && chosen.set(name, value));
  put("side", address.side);
  put("user", address.user);
  put("sel", address.sel);
  put("hide", [...address.hide].sort().join(","));
  put("veil", [...address.veil].sort().slice(0, VEIL_MAX).join(","));
  put("scenes", [...address.scenes].sort().slice(0, VEIL_MAX).join(","));
  put("sure", address.sure > 0 ? String(address.sure) : null);
  put("around", address.ego);
  put("from", address.path?.[0] ?? null);
  put("to", address.path?.[1] ?? null);
  put("true", address.validAt);
  put("known", address.asOf);
  const query = chosen.toString();
  return `#/${address.tab ?? ""}${query ? `?${query}` : ""}`;
}

/** Return whether going from one address to another is a step that the browser's Back button undoes: another view, memory, selection, focus or path. */
export function isStep(before: string, after: string): boolean {
  if (before === "") return false;
  const [was, is] = [readAddress(before), readAddress(after)];
  const place = ({ tab, side, user, sel, ego, path }: Address): string => JSON.stringify([tab, side, user, sel, ego, path]);
  return place(was) !== place(is);
}

export function tenantOf(search: string): string {
  return new URLSearchParams(search).get("tenant") || "default";
}

/** Ignore what is not a valid time. */
function momentIn(text: string | null): string | null {
  return text !== null && !Number.isNaN(Date.parse(text)) ? text : null;
}
