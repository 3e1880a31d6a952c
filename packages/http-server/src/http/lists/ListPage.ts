/**
 * The page that a list request asks for, with defaults.
 */
import { LabelSelector } from "@quarterdeck/cluster-fanout"
import { DEFAULT_LIMIT, type Order, type Page } from "@quarterdeck/cluster-fanout/ListQuery"
import type { Consistency } from "@quarterdeck/cluster-fanout/Coverage"
import { Context, Effect, Result } from "effect"
import { refuse } from "../refusal/Refusal.ts"

/** Deadlines of a fan-out, in milliseconds. */
export const Deadlines = Context.Reference("@quarterdeck/http-server/Deadlines", {
  defaultValue: () => ({ timeoutMs: 3_000, maxTimeoutMs: 30_000 })
})

/** The query parameters that every list shares. */
interface PageParameters<Sort extends string> {
  readonly sort?: Sort
  readonly order?: Order
  readonly limit?: number
  readonly cursor?: string
  readonly consistency?: Consistency
  readonly timeoutMs?: number
}

/**
 * Makes the page of a query, with defaults. `sort` is the default sort key.
 *
 * **Errors** `invalid_parameter` for a deadline above the configured maximum.
 */
export const fromQuery = Effect.fnUntraced(function* <Sort extends string>(query: PageParameters<Sort>, sort: Sort) {
  const { maxTimeoutMs, timeoutMs } = yield* Deadlines
  if (query.timeoutMs !== undefined && query.timeoutMs > maxTimeoutMs) {
    return yield* refuse("invalid_parameter", {
      detail: `timeoutMs: must be at most ${maxTimeoutMs}`,
      field: "timeoutMs"
    })
  }
  return pageOf(query, sort, timeoutMs)
})

/** Makes the page of a valid query. **Units** `timeoutMs`, the default deadline, in milliseconds. */
export const pageOf = <Sort extends string>(
  query: PageParameters<Sort>,
  sort: Sort,
  timeoutMs: number
): Page<Sort> => ({
  sort: query.sort ?? sort,
  order: query.order ?? "asc",
  limit: query.limit ?? DEFAULT_LIMIT,
  consistency: query.consistency ?? "cache",
  timeoutMs: query.timeoutMs ?? timeoutMs,
  ...(query.cursor === undefined ? {} : { cursor: query.cursor })
})

/**
 * Parses the label selector of a query.
 *
 * **Errors** `invalid_parameter` with the position of the error.
 */
export const labelSelectorOf = Effect.fnUntraced(function* (text: string | undefined) {
  const selector = LabelSelector.parse(text ?? "")
  if (Result.isSuccess(selector)) return selector.success
  return yield* refuse("invalid_parameter", { detail: selector.failure.message, field: "labelSelector" })
})

/** Splits `<Kind>/<name>`. */
export const namedObject = (path: string): { readonly kind: string; readonly name: string } => {
  const [kind = "", name = ""] = path.split("/")
  return { kind, name }
}
