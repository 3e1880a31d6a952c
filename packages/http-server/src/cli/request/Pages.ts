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
 * **Limits** one request after the other; ends at the page without rows that is one too many, so that a server cannot
 * keep it going. Lists that are filtered as they are read, such as the audit, have pages without rows before their end.
 */
export const read = Effect.fnUntraced(function* <Page extends { readonly nextCursor?: string }, E, R>(
  limit: number,
  fetch: (query: ReadonlyArray<readonly [string, string]>) => Effect.Effect<Page, E, R>,
  rowsOf: (page: Page) => ReadonlyArray<unknown>,
  maxEmptyPages = 0
) {
  const pages: Array<Page> = []
  let left = limit
  let rest: string | undefined
  let emptyPages = 0
  do {
    const page = yield* fetch([
      ["limit", String(Math.min(left, MAX_LIMIT))],
      ...(rest === undefined ? [] : [["cursor", rest] as const])
    ])
    const count = rowsOf(page).length
    pages.push(page)
    left -= count
    rest = page.nextCursor
    if (count === 0 && ++emptyPages > maxEmptyPages) break
  } while (rest !== undefined && left > 0)
  return { pages, rest } satisfies Pages<Page>
})
