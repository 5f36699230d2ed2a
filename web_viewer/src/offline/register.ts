/** Starts the worker that keeps the page, where the browser has one: on this machine, or over TLS. */

interface ScriptPolicy {
  createScriptURL(url: string): unknown;
}
interface PolicyMaker {
  createPolicy(name: string, rules: { createScriptURL: () => string }): ScriptPolicy;
}

export async function keepPage(): Promise<void> {
  if (!("serviceWorker" in navigator) || !import.meta.env.PROD) return;
  const url = new URL("sw.js", document.baseURI).href;
  const maker = (window as unknown as { trustedTypes?: PolicyMaker }).trustedTypes;
  // The page's policy lets no text name a script; this one name is fixed.
  const trusted = maker?.createPolicy("mnemograph", { createScriptURL: () => url }).createScriptURL(url) ?? url;
  try {
    await navigator.serviceWorker.register(trusted as string);
  } catch {
    // Without it the page needs the service to open; all else works.
  }
}
