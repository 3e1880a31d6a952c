/**
 * The keys and denials in an overview, for Admins.
 */
import type { OverviewAccess } from "@quarterdeck/contract/OverviewGroup"
import * as Access from "@quarterdeck/keys/Access"
import { AuditStore, type AuditStoreError } from "@quarterdeck/keys/audit/AuditStore"
import type { KeyError, KeyStoreError } from "@quarterdeck/keys/KeyError"
import { KeyIssuer } from "@quarterdeck/keys/KeyIssuer"
import type { Principal } from "@quarterdeck/keys/Principal"
import * as Rule from "@quarterdeck/keys/Rule"
import { DateTime, Effect } from "effect"
import * as RecentParts from "./RecentParts.ts"

const PAGE = 500

type Failure = KeyError | KeyStoreError | AuditStoreError

/**
 * Makes the function that counts the keys that the caller may see and that expire within 7 days, and the denied
 * requests of the last 24 hours.
 *
 * **Shape** `undefined` if the caller may not list keys. Only an Admin without a scope sees denials.
 *
 * **Errors** those of the stores and of {@link RecentParts}. **Limits** at most 55 s old; reads all keys.
 */
export const make = Effect.gen(function* () {
  const issuer = yield* KeyIssuer
  const audit = yield* AuditStore
  const recent = yield* RecentParts.make<OverviewAccess, Failure>()

  const countExpiring = Effect.fnUntraced(function* (caller: Principal["Service"]) {
    let count = 0
    let position: string | undefined
    do {
      const page = yield* issuer.list(caller, {
        limit: PAGE,
        status: "expiring",
        ...(position === undefined ? {} : { position })
      })
      count += page.apiKeys.length
      position = page.next
    } while (position !== undefined)
    return count
  })

  const compute = Effect.fnUntraced(function* (caller: Principal["Service"]) {
    const expiringKeys = yield* countExpiring(caller)
    if (!Rule.isUnscoped(caller.rule)) return { expiringKeys } satisfies OverviewAccess
    const denials24h = yield* audit.denialsSince(DateTime.subtract(yield* DateTime.now, { hours: 24 }))
    return { expiringKeys, denials24h } satisfies OverviewAccess
  })

  return (
    caller: Principal["Service"],
    timeoutMs: number
  ): Effect.Effect<OverviewAccess | undefined, Failure | RecentParts.PartDelayed> =>
    Access.decide(caller.rule, "apiKeys", "read") === "allowed"
      ? recent({ key: JSON.stringify([caller.keyId, caller.rule]), timeoutMs }, () => compute(caller))
      : Effect.succeed(undefined)
})
