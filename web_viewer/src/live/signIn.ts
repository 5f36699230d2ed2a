/** Signing in: the key is handed over once; what the browser keeps is a cookie that no script can read. */

import { messageOf } from "./ask";

/** What a key opens; a tenant of null means all of them. */
export interface SignedIn {
  tenant: string | null;
  role: string;
}

/** @throws Error with the service's own words when it does not take the key. */
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

/** The part of the address to go to when the key opens another tenant than the page shows; null to stay. */
export function searchFor(opened: SignedIn, shown: string): string | null {
  if (opened.tenant === null || opened.tenant === shown) return null;
  return opened.tenant === "default" ? "" : `?tenant=${encodeURIComponent(opened.tenant)}`;
}

/** Gives the cookie back. While the service is gone it stays with the browser until it ends, and opens nothing here. */
export async function signOut(): Promise<void> {
  await fetch("api/sign-out", { method: "POST" }).catch(() => undefined);
}
