/** Register the service worker, where the browser allows one: on localhost, or over TLS. */

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
  // The page's policy (trusted types) forbids script URLs from text; this one is fixed.
  const trusted = maker?.createPolicy("mnemoscene", { createScriptURL: () => url }).createScriptURL(url) ?? url;
  try {
    await navigator.serviceWorker.register(trusted as string);
  } catch {
    // Without it the page cannot open offline; nothing else is affected.
  }
}
