/** The view as a link: everything chosen stands in the page's address. */

export type Tab = "map" | "list";

export interface Address {
  /** Null where the link leaves it to the width of the window. */
  tab: Tab | null;
  user: string | null;
  sel: string | null;
  hide: string[];
}

export function readAddress(hash: string): Address {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const chosen = new URLSearchParams(query);
  const hide = (chosen.get("hide") ?? "").split(",").filter((name) => name !== "");
  return { tab: path === "list" || path === "map" ? path : null, user: chosen.get("user"), sel: chosen.get("sel"), hide };
}

export function writeAddress(address: Address): string {
  const chosen = new URLSearchParams();
  if (address.user) chosen.set("user", address.user);
  if (address.sel) chosen.set("sel", address.sel);
  if (address.hide.length > 0) chosen.set("hide", [...address.hide].sort().join(","));
  const query = chosen.toString();
  return `#/${address.tab ?? ""}${query ? `?${query}` : ""}`;
}

export function tenantOf(search: string): string {
  return new URLSearchParams(search).get("tenant") || "default";
}
