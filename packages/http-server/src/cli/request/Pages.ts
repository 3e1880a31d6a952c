/**
 * Reads a list page by page.
 */
import { MAX_LIMIT } from "@quarterdeck/cluster-fanout/ListQuery"
import { Effect } from "effect"

/** The pages that were read. **Shape** `rest` is the cursor of the next page; undefined at the end of the list. */
export interface Pages<Page> {
  readonly pages: ReadonlyArray<Page>
  readonly rest: string | undefined
}

/**
 * Reads pages until `limit` rows are read or the list ends. Reads at least one page.
 *
 * **Limits** one request at a time. Stops after more than `maxEmptyPages` pages without rows, so a server cannot keep the
 * command reading forever. Lists that the server filters while reading, such as the audit, have empty pages before their end.
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
