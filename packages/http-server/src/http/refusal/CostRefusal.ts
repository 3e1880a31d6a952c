/**
 * Maps errors of cost reports and price changes to problems of the contract.
 */
import { PriceError, ReportError } from "@quarterdeck/cost"
import type * as ListError from "@quarterdeck/cluster-fanout/ListError"
import type * as Problem from "@quarterdeck/contract/Problem"
import type { CostError } from "@quarterdeck/cost/CostError"
import type { InvalidRange } from "@quarterdeck/cost/Range"
import { Effect } from "effect"
import * as ListRefusal from "./ListRefusal.ts"
import { refuse } from "./Refusal.ts"

export type ReportFailure =
  | CostError
  | ReportError.CostRowNotFound
  | ReportError.IdleForbidden
  | ReportError.InvalidCostQuery
  | InvalidRange
  | ListError.CursorInvalid
  | ListError.FanOutFailed
  | ListError.NamespaceForbidden

/**
 * Fails with the problem of a report's error.
 *
 * **Shape** `asked` is the part of the request with the parameters. It selects the code and the field: a namespace is in
 * the body's `namespaces` or in the query's `id`.
 *
 * **Errors** `invalid_parameter`, `invalid_body` (with the field); `namespace_forbidden`; `cost_row_not_found`;
 * `cost_store_unavailable`, whose cause is only logged; those of merged lists.
 */
export const fromReport =
  (asked: "body" | "query") =>
  (error: ReportFailure): Effect.Effect<never, Problem.Problem> => {
    const { message: detail } = error
    switch (error._tag) {
      case "CostError":
        return fromStore(error)
      case "InvalidRange":
        return refuse("invalid_parameter", { detail, field: error.field })
      case "InvalidCostQuery": {
        const { field } = error
        return asked === "body"
          ? refuse("invalid_body", { detail, field: field === "" ? "body" : field })
          : refuse("invalid_parameter", field === "" ? { detail } : { detail, field })
      }
      case "IdleForbidden":
        return refuse("namespace_forbidden", { detail, field: error.field })
      case "NamespaceForbidden":
        return refuse("namespace_forbidden", { detail, field: asked === "body" ? "namespaces" : "id" })
      case "CostRowNotFound":
        return refuse("cost_row_not_found", { detail, field: "id" })
      case "FanOutFailed":
      case "CursorInvalid":
        return ListRefusal.fromError(error)
    }
  }

/** `Retry-After` of a preview above the limit. Most previews take less time. **Units** seconds. */
const PREVIEW_RETRY_SECONDS = 5

/**
 * Fails with the problem of a refused price book.
 *
 * **Errors** `prices_stale`, `invalid_body` (with the field), `too_many_previews`, `cost_store_unavailable`.
 */
export const fromPrices = (
  error: PriceError.PriceError | PriceError.TooManyPreviews | CostError
): Effect.Effect<never, Problem.Problem> => {
  const { message: detail } = error
  switch (error._tag) {
    case "CostError":
      return fromStore(error)
    case "StalePriceBook":
      return refuse("prices_stale", { detail, field: "version" })
    case "InvalidPriceBook":
      return refuse("invalid_body", { detail, field: error.field === "" ? "body" : error.field })
    case "TooManyPreviews":
      return refuse("too_many_previews", { detail }, { "retry-after": String(PREVIEW_RETRY_SECONDS) })
  }
}

/** Logs the cause and hides it from the client, because it names files and servers. */
const fromStore = (error: CostError): Effect.Effect<never, Problem.Problem> =>
  Effect.andThen(
    Effect.logError("the cost history failed", error),
    refuse("cost_store_unavailable", { detail: "the costs cannot be read or written at the moment" })
  )
