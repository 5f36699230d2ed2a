/**
 * Cache the page itself (never the memory) for when the service is down.
 *
 * The page is fetched from the network first; files whose names contain a hash come from the cache first.
 */

import { assetsIn, partOfPage } from "./shell";

/** The parts of the service worker API in use; the DOM types do not include them. */
interface WorkerWorld {
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

const world = self as unknown as WorkerWorld;
const SHELF = "mnemograph-page-1";
const PATIENCE_MS = 5_000;

world.addEventListener("install", (event) => event.waitUntil(fetchPage().then(() => world.skipWaiting())));
world.addEventListener("activate", (event) => event.waitUntil(world.clients.claim()));
world.addEventListener("fetch", (event) => {
  const { request } = event;
  const part = request.method === "GET" ? partOfPage(request.url, world.registration.scope) : null;
  if (part === "page") event.respondWith(page(request));
  else if (part === "file") event.respondWith(file(request));
});

async function page(request: Request): Promise<Response> {
  try {
    return await fetchPage();
  } catch {
    const shelf = await caches.open(SHELF);
    return (await shelf.match(world.registration.scope)) ?? fetch(request);
  }
}

/** Fetch the page, cache it with its files, and delete files of older pages. */
async function fetchPage(): Promise<Response> {
  const home = world.registration.scope;
  const answer = await fetch(home, { cache: "no-cache", signal: AbortSignal.timeout(PATIENCE_MS) });
  if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
  const shelf = await caches.open(SHELF);
  const assets = assetsIn(await answer.clone().text(), home);
  const cached = new Set((await shelf.keys()).map((request) => request.url));
  await shelf.addAll(assets.filter((url) => !cached.has(url)));
  await shelf.put(home, answer.clone());
  for (const url of cached) if (url !== home && !assets.includes(url)) await shelf.delete(url);
  return answer;
}

async function file(request: Request): Promise<Response> {
  const shelf = await caches.open(SHELF);
  return (await shelf.match(request.url)) ?? fetch(request);
}
