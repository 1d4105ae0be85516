// The service worker: caches the page that it was built with, so that a reload needs no network. Its version is the digest of
// that page: a new page comes with a new worker, which caches it and deletes the old page.

declare const self: ServiceWorkerGlobalScope;
/** The SHA-256 of the page in hexadecimal digits, which `build.mjs` puts here. */
declare const PAGE: string;

const { scope } = self.registration;
/** The addresses of the page. */
const FILE = new URL("index.html", scope).href;
const ADDRESSES = [scope, FILE];
/** The name of the cache. Caches belong to the whole host, which can have other programs, and this page at several addresses. */
const PREFIX = `corefeval ${scope} `;
const CACHE = PREFIX + PAGE;

async function keep(): Promise<void> {
  // The copy of the first load, if the host confirms that it is current.
  const response = await fetch(FILE, { cache: "no-cache" });
  const page = await response.arrayBuffer();
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", page));
  const found = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
  if (found !== PAGE) throw new Error(`${FILE} is not the page of this worker: its digest is ${found}.`);
  // A new response, because navigation rejects a cached response that was redirected.
  await (await caches.open(CACHE)).put(FILE, new Response(page, { headers: { "Content-Type": "text/html; charset=utf-8" } }));
  await self.skipWaiting();
}

/** Deletes other versions of the page at this address. */
async function forget(): Promise<void> {
  for (const name of await caches.keys()) if (name.startsWith(PREFIX) && name !== CACHE) await caches.delete(name);
}

async function kept(request: Request): Promise<Response> {
  return (await (await caches.open(CACHE)).match(FILE)) ?? fetch(request);
}

self.addEventListener("install", (event) => event.waitUntil(keep()));
self.addEventListener("activate", (event) => event.waitUntil(forget()));
self.addEventListener("fetch", (event) => {
  const { origin, pathname } = new URL(event.request.url);
  if (event.request.mode === "navigate" && ADDRESSES.includes(origin + pathname)) event.respondWith(kept(event.request));
});
export {};
