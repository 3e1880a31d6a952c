/**
 * Problems that an operator may have to fix, collected for the readiness details.
 */
import { ClusterCache } from "@quarterdeck/cluster-fanout/ClusterCache"
import { ClusterRegistry } from "@quarterdeck/cluster-fanout/ClusterRegistry"
import type { ReadinessDetails } from "@quarterdeck/contract/HealthGroup"
import { CostSampler } from "@quarterdeck/cost/CostSampler"
import { AuditLog } from "@quarterdeck/keys/audit/AuditLog"
import { KeyConfig } from "@quarterdeck/keys/KeyConfig"
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Effect, Option } from "effect"
import { IdentityClient } from "./IdentityClient.ts"
import * as UnchargedDevices from "./UnchargedDevices.ts"

const USAGE = { Sampled: "sampled", Hourly: "hourly", RequestsOnly: "requests" } as const

/** Makes the diagnosis. **Limits** makes no calls except to the identity provider, as `IdentityClient.problem` does. */
export const make = Effect.gen(function* () {
  const registry = yield* ClusterRegistry
  const cache = yield* ClusterCache
  const keyConfig = yield* KeyConfig
  const sampler = yield* CostSampler
  const auditLog = yield* AuditLog
  const identityClient = Option.getOrUndefined(yield* Effect.serviceOption(IdentityClient))
  const askProvider =
    identityClient === undefined
      ? Effect.succeed({})
      : Effect.map(identityClient.problem, (found) => ({
          identityProvider: Option.match(found, { onNone: () => ({}), onSome: (problem) => ({ problem }) })
        }))

  return Effect.gen(function* () {
    const { clusters, problems } = yield* registry.snapshot
    // A dropped cluster is still sampled until its last hour is closed. Its problems do not matter any more.
    const names = new Set(clusters.map(({ name }) => name))
    const isRegistered = ({ cluster }: { readonly cluster: ClusterName }) => names.has(cluster)
    const { alarm, refused } = yield* keyConfig.health
    const { deniedBytes, otherBytes, shareBytes: shareMaxBytes } = yield* auditLog.fullness
    const unchargedDevices = clusters.flatMap((cluster) => {
      const member = cache.find(cluster)
      return member === undefined ? [] : UnchargedDevices.find(cluster.name, member.store)
    })
    const details: ReadinessDetails = {
      sources: problems.map(({ code, message, severity, source }) => ({ code, message, severity, source })),
      configuredKeys: { refused: refused.length, ...(alarm === undefined ? {} : { problem: alarm.problem }) },
      audit: { deniedBytes, otherBytes, shareMaxBytes },
      ...(yield* askProvider),
      costs: (yield* sampler.states).filter(isRegistered).map(({ cluster, troubles, usage }) => ({
        cluster,
        usage: USAGE[usage],
        troubles: troubles.map(({ problem, what }) => ({ what, problem }))
      })),
      ...(unchargedDevices.length === 0 ? {} : { unchargedDevices }),
      backfill: (yield* sampler.backfills)
        .filter(isRegistered)
        .map(({ cluster, missingHours, olderHours, problem, status }) => ({
          cluster,
          status,
          missingHours,
          olderHours,
          ...(problem === undefined ? {} : { problem })
        }))
    }
    return details
  })
})
