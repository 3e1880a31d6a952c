/**
 * Asks for proof of the labels of namespaces while keys need it; `cache/LabelProof` of cluster-fanout keeps them proven.
 */
import { ClusterCache } from "@quarterdeck/cluster-fanout/ClusterCache"
import { KeyConfig } from "@quarterdeck/keys/KeyConfig"
import { KeyStore } from "@quarterdeck/keys/KeyStore"
import { GroupRules } from "@quarterdeck/keys/Person"
import * as Rule from "@quarterdeck/keys/Rule"
import * as NamespaceFilter from "@quarterdeck/targeting/NamespaceFilter"
import { DateTime, Effect, Layer, Schedule } from "effect"

/** How often the keys are looked through; a key made between two looks has its proof made when it first asks. */
const INTERVAL = "15 seconds"
const PAGE = 500

/**
 * Tells the cache whether any key in force, or any group of people, selects namespaces by label.
 *
 * **Limits** reads all keys every 15 s, a page at a time, until one is found.
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
      // Without an answer the labels stay proven: that costs a list, the other way would cost a key its rights.
      Effect.catch((error) =>
        Effect.andThen(
          Effect.logWarning("the keys cannot be looked through for label selectors", error),
          cache.requireLabelProof(true)
        )
      )
    )
    yield* Effect.forkScoped(Effect.repeat(look, Schedule.spaced(INTERVAL)))
  })
)
