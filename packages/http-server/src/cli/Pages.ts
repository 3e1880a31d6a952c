/**
 * A list read page by page.
 */
import { MAX_LIMIT } from "@quarterdeck/cluster-fanout/ListQuery"
import { Effect } from "effect"

/** The pages that were read; `rest` continues where they end, and is absent when they hold everything. */
export interface Pages<Page> {
  readonly pages: ReadonlyArray<Page>
  readonly rest: string | undefined
}

/**
 * Reads pages until there are `limit` rows, or no more.
 *
 * **Shape** `fetch` gets the query of one page; at least one page is read.
 *
 * **Limits** one request after the other; ends at a page without rows, so that a server cannot keep it going.
 */
export const read = Effect.fnUntraced(function* <Page extends { readonly nextCursor?: string }, E, R>(
  limit: number,
  fetch: (query: ReadonlyArray<readonly [string, string]>) => Effect.Effect<Page, E, R>,
  rowsOf: (page: Page) => ReadonlyArray<unknown>
) {
  const pages: Array<Page> = []
  let left = limit
  let rest: string | undefined
  do {
    const page = yield* fetch([
      ["limit", String(Math.min(left, MAX_LIMIT))],
      ...(rest === undefined ? [] : [["cursor", rest] as const])
    ])
    const count = rowsOf(page).length
    pages.push(page)
    left -= count
    rest = page.nextCursor
    if (count === 0) break
  } while (rest !== undefined && left > 0)
  return { pages, rest } satisfies Pages<Page>
})
