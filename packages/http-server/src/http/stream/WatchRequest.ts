/**
 * What the current request asks to follow beside its filters, and on whose behalf.
 */
import { Principal } from "@quarterdeck/keys/Principal"
import * as Rule from "@quarterdeck/keys/Rule"
import type { Target } from "@quarterdeck/targeting/Target"
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { Deadlines } from "../lists/ListPage.ts"
import * as HeaderLines from "../request/HeaderLines.ts"

/** Reads it. **Shape** a repeated `Last-Event-ID` names no place. */
export const of = Effect.fnUntraced(function* (target: Target) {
  const { keyId, rule } = yield* Principal
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
