/**
 * Makes the cache check its namespace labels regularly while any key selects namespaces by label. `cache/LabelProof` of
 * cluster-fanout compares the cached labels with a fresh list.
 */
import { ClusterCache } from "@quarterdeck/cluster-fanout/ClusterCache"
import { KeyConfig } from "@quarterdeck/keys/KeyConfig"
import { KeyStore } from "@quarterdeck/keys/KeyStore"
import { GroupRules } from "@quarterdeck/keys/Person"
import * as Rule from "@quarterdeck/keys/Rule"
import * as NamespaceFilter from "@quarterdeck/targeting/NamespaceFilter"
import { DateTime, Effect, Layer, Schedule } from "effect"

/**
 * Interval between two scans of the keys. The first request of a key that was created in between waits until the labels
 * are checked.
 */
const INTERVAL = "15 seconds"
const PAGE = 500

/**
 * Makes the cache check its namespace labels while any valid key or group rule selects namespaces by label.
 *
 * **Limits** reads the keys page by page every 15 s, up to the first that selects by label.
 */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const cache = yield* ClusterCache
    const config = yield* KeyConfig
    const store = yield* KeyStore

    const dependsOnLabels = ({ rule }: { readonly rule: Rule.Rule }) =>
      NamespaceFilter.needsLabels(Rule.namespaceFilter(rule))

    const anyCreated = Effect.gen(function* () {
      const now = yield* DateTime.now
      let after: { readonly createdAt: DateTime.Utc; readonly id: string } | undefined
      for (;;) {
        const page = yield* store.list({ limit: PAGE, ...(after === undefined ? {} : { after }) })
        const inForce = page.filter(
          ({ expiresAt, revokedAt }) =>
            revokedAt === undefined && (expiresAt === undefined || DateTime.isLessThan(now, expiresAt))
        )
        if (inForce.some(dependsOnLabels)) return true
        const last = page.at(-1)
        if (last === undefined || page.length < PAGE) return false
        after = { createdAt: last.createdAt, id: last.id }
      }
    })

    const look = Effect.gen(function* () {
      const { byHash } = yield* config.current
      const rules = [...byHash.values(), ...(yield* GroupRules)]
      yield* cache.requireLabelProof(rules.some(dependsOnLabels) || (yield* anyCreated))
    }).pipe(
      // If the keys cannot be read, let the labels be checked. An unneeded check costs one list; without a needed
      // check, a key loses access.
      Effect.catch((error) =>
        Effect.andThen(
          Effect.logWarning("the keys cannot be searched for label selectors", error),
          cache.requireLabelProof(true)
        )
      )
    )
    yield* Effect.forkScoped(Effect.repeat(look, Schedule.spaced(INTERVAL)))
  })
)
