/**
 * `/healthz` and `/readyz`.
 *
 * @since 0.1.0
 */
import { ClusterCache } from "@quarterdeck/cluster-fanout/ClusterCache"
import * as Kind from "@quarterdeck/cluster-fanout/Kind"
import { Api } from "@quarterdeck/contract/Api"
import type { Readiness } from "@quarterdeck/contract/HealthGroup"
import { KeyConfig } from "@quarterdeck/keys/KeyConfig"
import { KeyStore } from "@quarterdeck/keys/KeyStore"
import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Deadlines } from "../ListPage.ts"
import { CurrentRequest } from "../RequestRecord.ts"

/** How long a probe waits for the key store. */
const STORE_DEADLINE = "1 second"
const STORE_ASKED_EVERY = "1 second"

export const HealthHandlers = HttpApiBuilder.group(
  Api,
  "health",
  Effect.fn(function* (handlers) {
    const cache = yield* ClusterCache
    const keyConfig = yield* KeyConfig
    const keyStore = yield* KeyStore
    const { timeoutMs } = yield* Deadlines
    const startedAt = yield* Clock.currentTimeMillis

    // The route is public: however often it is asked, the store is asked once a second, so that keys are still looked up.
    const storeAnswers = yield* keyStore.count.pipe(
      Effect.timeout(STORE_DEADLINE),
      Effect.as(true),
      Effect.catch((error) => Effect.as(Effect.logWarning("the key store does not answer", error), false)),
      Effect.cachedWithTTL(STORE_ASKED_EVERY)
    )
    const countSynced = Effect.map(cache.members, (members) => ({
      registered: members.length,
      synced: members.filter(({ store }) => Kind.kinds.every((kind) => store.table(kind).sync._tag !== "Pending"))
        .length
    }))

    return handlers.handleAll({
      healthz: () => Effect.as(noteRoute("/healthz"), "ok"),
      readyz: Effect.fnUntraced(function* () {
        yield* noteRoute("/readyz")
        const { registered, synced } = yield* countSynced
        const waiting = registered - synced
        const { alarm } = yield* keyConfig.health
        const keyStoreIsThere = yield* storeAnswers
        // A cluster that missed its first deadline is reported by coverage, and must not keep the others from being served.
        const missedDeadline = (yield* Clock.currentTimeMillis) - startedAt > timeoutMs
        const isReady = keyStoreIsThere && (waiting === 0 || missedDeadline)
        const readiness: Readiness = {
          status: isReady ? "ready" : keyStoreIsThere ? "starting" : "unavailable",
          checks: {
            keyStore: keyStoreIsThere ? "ok" : "unavailable",
            configuredKeys: alarm === undefined ? "ok" : "stale",
            clusters: { registered, synced, waiting }
          }
        }
        if (!isReady) return yield* Effect.fail(readiness)
        return readiness
      })
    })
  })
)

/** Public endpoints have no guard that would note it. */
const noteRoute = (route: string) =>
  Effect.map(CurrentRequest, (record) => {
    record.route = route
  })
