/**
 * `/healthz` and `/readyz`.
 */
import { Kind } from "@quarterdeck/cluster-fanout"
import { ClusterCache } from "@quarterdeck/cluster-fanout/ClusterCache"
import { Api } from "@quarterdeck/contract/Api"
import type { Readiness } from "@quarterdeck/contract/HealthGroup"
import { CostStore } from "@quarterdeck/cost/CostStore"
import { HOUR_MS } from "@quarterdeck/cost/Units"
import { AuditStore } from "@quarterdeck/keys"
import { AuditLog } from "@quarterdeck/keys/audit/AuditLog"
import { KeyConfig } from "@quarterdeck/keys/KeyConfig"
import { KeyStore } from "@quarterdeck/keys/KeyStore"
import * as Rule from "@quarterdeck/keys/Rule"
import { Effect, Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as Diagnosis from "../../services/Diagnosis.ts"
import { Guard } from "../guard/Guard.ts"
import * as RequestRecord from "../request/RequestRecord.ts"
import * as StoreHealth from "./StoreHealth.ts"

/** Maximum time that readiness waits for the first sync of the clusters. After that, coverage reports missing clusters. */
const PATIENCE = "10 minutes"

/**
 * Handles the probes.
 *
 * **Shape** readiness waits until every cluster has synced, refused access or proved unreachable. From then on it does not
 * depend on clusters: a cluster that is registered or recovers later must not take the server out of service.
 */
export const HealthHandlers = HttpApiBuilder.group(
  Api,
  "health",
  Effect.fn(function* (handlers) {
    const guard = yield* Guard
    const diagnosis = yield* Diagnosis.make
    const cache = yield* ClusterCache
    const keyConfig = yield* KeyConfig
    const keyStore = yield* KeyStore
    const costStore = yield* CostStore
    const auditStore = yield* AuditStore.AuditStore
    let hasBegun = false
    const awaitBeginning = Effect.map(Effect.timeoutOption(cache.settled, PATIENCE), () => {
      hasBegun = true
    })
    yield* Effect.forkScoped(awaitBeginning, { startImmediately: true })

    const keysAnswer = yield* StoreHealth.make({ name: "key store", ask: keyStore.count, patience: "800 millis" })
    // The store of the cost history may need several seconds while it reads months of costs. It counts as available
    // meanwhile.
    const costs = Effect.scoped(costStore.sums([], { startMs: 0, endMs: HOUR_MS }))
    const costsAnswer = yield* StoreHealth.make({ name: "cost history", ask: costs, patience: "10 seconds" })
    const auditLog = yield* AuditLog
    // The service stays ready with a full audit, because keys can still be revoked.
    const probe = Effect.catchIf(
      auditStore.probe,
      ({ isFull }) => isFull === true,
      () => Effect.void
    )
    // Every change needs the audit. The probe waits for the audit's writing thread as long as a change does.
    const auditAnswers = yield* StoreHealth.make({ name: "audit", ask: probe, patience: "10 seconds" })
    const countSynced = Effect.map(cache.members, (members) => ({
      registered: members.length,
      synced: members.filter(({ store }) => Kind.kinds.every((kind) => store.table(kind).sync._tag !== "Pending"))
        .length
    }))

    return handlers.handleAll({
      healthz: () => Effect.succeed("ok"),
      readyz: Effect.fnUntraced(function* () {
        const { registered, synced } = yield* countSynced
        const waiting = registered - synced
        const { alarm } = yield* keyConfig.health
        const [keyStoreIsThere, costStoreIsThere, auditIsThere] = yield* Effect.all(
          [keysAnswer, costsAnswer, auditAnswers],
          { concurrency: 3 }
        )
        const storesAreThere = keyStoreIsThere && costStoreIsThere && auditIsThere
        const isReady = storesAreThere && hasBegun
        const checks: Readiness["checks"] = {
          keyStore: keyStoreIsThere ? "ok" : "unavailable",
          costStore: costStoreIsThere ? "ok" : "unavailable",
          audit: !auditIsThere ? "unavailable" : (yield* auditLog.fullness).isFull ? "full" : "ok",
          configuredKeys: alarm === undefined ? "ok" : "stale",
          clusters: { registered, synced, waiting }
        }
        const readiness: Readiness = {
          status: isReady ? "ready" : storesAreThere ? "starting" : "unavailable",
          ...((yield* isForAdmin(guard)) ? { checks, details: yield* diagnosis } : {})
        }
        if (!isReady) return yield* Effect.fail(readiness)
        return readiness
      })
    })
  })
)

/**
 * Returns true if the caller is an Admin without scope. A failed authentication does not affect the reply of a probe.
 */
const isForAdmin = Effect.fnUntraced(function* ({ authenticate }: Guard["Service"]) {
  const caller = yield* RequestRecord.withoutNotes(Effect.option(authenticate))
  return Option.exists(caller, ({ principal: { rule } }) => rule.role === "Admin" && Rule.isUnscoped(rule))
})
