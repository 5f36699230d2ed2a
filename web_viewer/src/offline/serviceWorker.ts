/**
 * Cache the page itself (never the memory) for when the service is down.
 *
 * The page is fetched from the network first; files whose names contain a hash come from the cache first.
 */

import { assetsIn, partOfPage } from "./shell";

/** The parts of the service worker API in use; the DOM types do not include them. */
interface WorkerScope {
  registration: { scope: string };
  skipWaiting(): Promise<void>;
  clients: { claim(): Promise<void> };
  addEventListener(name: "install" | "activate", listener: (event: Waiting) => void): void;
  addEventListener(name: "fetch", listener: (event: Asked) => void): void;
}
interface Waiting {
  waitUntil(work: Promise<unknown>): void;
}
interface Asked extends Waiting {
  request: Request;
  respondWith(answer: Promise<Response>): void;
}

const worker = self as unknown as WorkerScope;
const CACHE_NAME = "mnemoscene-page-1";
const PATIENCE_MS = 5_000;

worker.addEventListener("install", (event) => event.waitUntil(fetchPage().then(() => worker.skipWaiting())));
worker.addEventListener("activate", (event) => event.waitUntil(worker.clients.claim()));
worker.addEventListener("fetch", (event) => {
  const { request } = event;
  const part = request.method === "GET" ? partOfPage(request.url, worker.registration.scope) : null;
  if (part === "page") event.respondWith(page(request));
  else if (part === "file") event.respondWith(file(request));
});

async function page(request: Request): Promise<Response> {
  try {
    return await fetchPage();
  } catch {
    const cache = await caches.open(CACHE_NAME);
    return (await cache.match(worker.registration.scope)) ?? fetch(request);
  }
}

/** Fetch the page, cache it with its files, and delete files of older pages. */
async function fetchPage(): Promise<Response> {
  const home = worker.registration.scope;
  const answer = await fetch(home, { cache: "no-cache", signal: AbortSignal.timeout(PATIENCE_MS) });
  if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
  const cache = await caches.open(CACHE_NAME);
  const assets = assetsIn(await answer.clone().text(), home);
  const cached = new Set((await cache.keys()).map((request) => request.url));
  await cache.addAll(assets.filter((url) => !cached.has(url)));
  await cache.put(home, answer.clone());
  for (const url of cached) if (url !== home && !assets.includes(url)) await cache.delete(url);
  return answer;
}

async function file(request: Request): Promise<Response> {
  const cache = await caches.open(CACHE_NAME);
  return (await cache.match(request.url)) ?? fetch(request);
}
