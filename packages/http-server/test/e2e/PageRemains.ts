/**
 * What a page leaves behind in its browser.
 */
import type { Page } from "playwright-core"

/** Gives all that a browser keeps of a page, as text. */
export const remainsOf = (page: Page): Promise<string> =>
  page.evaluate<string>(`(async () => JSON.stringify([
    document.documentElement.outerHTML,
    [...document.querySelectorAll("input, textarea")].map(({ value }) => value),
    location.href,
    history.state,
    performance.getEntries().map(({ name }) => name),
    { ...localStorage },
    { ...sessionStorage },
    await indexedDB.databases(),
    await caches.keys(),
    document.cookie
  ]))()`)
