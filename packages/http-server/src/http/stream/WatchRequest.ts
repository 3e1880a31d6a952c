/**
 * Target, scope and resume position of a watch request.
 */
import * as Rule from "@quarterdeck/keys/Rule"
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { Deadlines } from "../lists/ListPage.ts"
import type { AdmittedCaller } from "../lists/ListQuestion.ts"
import * as HeaderLines from "../request/HeaderLines.ts"

/** Reads a watch request. **Shape** a repeated `Last-Event-ID` is joined by commas, which is no valid position. */
export const of = Effect.fnUntraced(function* ({ principal, target }: AdmittedCaller) {
  const { keyId, rule } = principal
  const request = yield* HttpServerRequest.HttpServerRequest
  const { timeoutMs } = yield* Deadlines
  const ids = HeaderLines.valuesOf(request, "last-event-id").filter((id) => id !== "")
  return {
    target,
    namespaces: Rule.namespaceFilter(rule),
    clusters: Rule.clusterScope(rule),
    binding: JSON.stringify([keyId, rule]),
    lastEventId: ids.length === 0 ? undefined : ids.join(),
    timeoutMs
  }
})
