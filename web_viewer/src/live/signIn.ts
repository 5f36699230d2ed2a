/** Sign in: the key is sent once; the browser keeps a cookie that scripts cannot read. */

import { messageOf } from "./requests";

/** The tenant of a key; null means all tenants. */
export interface SignedIn {
  tenant: string | null;
  role: string;
}

/** @throws Error with the service's message if it refuses the key. */
export async function signIn(key: string): Promise<SignedIn> {
  const answer = await fetch("api/sign-in", {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "application/json" },
    body: JSON.stringify({ key }),
  });
  const body: unknown = await answer.json().catch(() => null);
  if (!answer.ok || body === null) throw new Error(messageOf(body) ?? `HTTP ${answer.status}`);
  return body as SignedIn;
}

/** Return the query string to load if the key is for another tenant than the page's; null to stay. */
export function searchFor(opened: SignedIn, shown: string): string | null {
  if (opened.tenant === null || opened.tenant === shown) return null;
  return opened.tenant === "default" ? "" : `?tenant=${encodeURIComponent(opened.tenant)}`;
}

/** Delete the cookie. If the service is down the cookie stays until it expires, but is not used. */
export async function signOut(): Promise<void> {
  await fetch("api/sign-out", { method: "POST" }).catch(() => undefined);
}
