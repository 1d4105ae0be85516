// The service worker: the files that it caches, the conditions for a new page, and the page without it. The tests of the
// page check that a hosted page scores without the host.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { host, keptOffline, root } from "./tools.mjs";

const built = (name) => readFileSync(join(root, "web/page/dist", name), "utf8");
const digestOf = (page) => createHash("sha256").update(page).digest("hex");
const changed = built("index.html").replace("<title>", '<meta name="next" content=""><title>');
/** A later version: another page with its worker. */
const NEXT = { "index.html": changed, "sw.js": built("sw.js").replaceAll(digestOf(built("index.html")), digestOf(changed)) };

/** A test with a host that serves the built page, with some files replaced. */
const at = (files, test, expected = []) => ({
  test: async (page) => {
    const site = await host(files);
    await page.context().setOffline(false);
    const messages = [];
    const visit = async (path = "") => {
      const visitor = await page.context().newPage();
      visitor.on("console", (message) => messages.push(message.text()));
      visitor.on("pageerror", (error) => messages.push(String(error)));
      await visitor.goto(site.address + path);
      await visitor.locator("#main h1:visible").first().waitFor();
      return visitor;
    };
    try {
      await test({ site, visit });
      assert.deepEqual(messages, expected);
    } finally {
      await site.stop();
    }
  },
});

const kept = (page) => page.evaluate(async () => (await caches.keys()).map((name) => name.split(" ").at(-1)));
const isChanged = (page) => page.locator("meta[name=next]").count();

export const offlineTests = {
  "offline: the page opens by each of its addresses, and leaves others to the host": at({ "other.html": '<link rel="icon" href="data:,"><div id="main"><h1>Other</h1></div>' }, async ({ site, visit }) => {
    await keptOffline(await visit());
    assert.deepEqual(site.requests, ["/tools/corefeval/", "/tools/corefeval/sw.js", "/tools/corefeval/index.html"]);
    await visit("other.html");
    assert.ok(site.requests.includes("/tools/corefeval/other.html"));
    await site.stop();
    await visit("index.html");
    await visit("?from=a-link");
    await (await visit("#play")).locator("table.played").waitFor();
    await assert.rejects(visit("other.html"), /ERR_CONNECTION_REFUSED/);
  }),

  "offline: a new page replaces the one that was kept": at({}, async ({ site, visit }) => {
    const visitor = await visit();
    await keptOffline(visitor);
    assert.deepEqual(await kept(visitor), [digestOf(built("index.html"))]);
    Object.assign(site.files, NEXT);
    // The visit that discovers the new page still shows the old page.
    await visitor.reload();
    for (let left = 100; left > 0 && (await kept(visitor))[0] !== digestOf(changed); left--) await visitor.waitForTimeout(100);
    assert.deepEqual(await kept(visitor), [digestOf(changed)]);
    assert.equal(await isChanged(visitor), 0);
    await site.stop();
    await visitor.reload();
    await keptOffline(visitor);
    assert.equal(await isChanged(visitor), 1);
  }),

  "offline: a page that is not the worker's own is not kept": at({ "index.html": changed }, async ({ site, visit }) => {
    const visitor = await visit();
    await visitor.waitForTimeout(1000);
    assert.equal(site.requests.at(-1), "/tools/corefeval/index.html");
    assert.deepEqual(await kept(visitor), []);
    assert.ok(!(await visitor.locator("footer").innerText()).includes("offline"));
  }),

  "offline: a host without the worker has the page": at({ "sw.js": undefined }, async ({ site, visit }) => {
    const visitor = await visit();
    await visitor.waitForTimeout(500);
    assert.deepEqual(site.requests, ["/tools/corefeval/", "/tools/corefeval/sw.js"]);
    assert.ok(!(await visitor.locator("footer").innerText()).includes("offline"));
  }, ["A bad HTTP response code (404) was received when fetching the script."]),

  "offline: browsers without service workers have the page": at({}, async ({ site, visit }) => {
    // Browsers disable them on insecure connections, that is, at any name except localhost.
    site.address = site.address.replace("127.0.0.1", "corefeval.test");
    const visitor = await visit();
    await visitor.waitForTimeout(500);
    assert.ok(!(await visitor.evaluate(() => "serviceWorker" in navigator)));
    assert.deepEqual(site.requests, ["/tools/corefeval/"]);
  }),
};
