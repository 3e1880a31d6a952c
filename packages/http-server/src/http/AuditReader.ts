/**
 * Reads the audit as far as a caller may see it.
 */
import * as AuditStore from "@quarterdeck/keys/audit/AuditStore"
import type { AuditEvent } from "@quarterdeck/keys/AuditEvent"
import type { KeyStoreError } from "@quarterdeck/keys/KeyError"
import { KeyIssuer } from "@quarterdeck/keys/KeyIssuer"
import type { Principal } from "@quarterdeck/keys/Principal"
import * as Rule from "@quarterdeck/keys/Rule"
import * as ClusterName from "@quarterdeck/targeting/ClusterName"
import * as NamespaceFilter from "@quarterdeck/targeting/NamespaceFilter"
import * as Target from "@quarterdeck/targeting/Target"
import { Effect, Schema } from "effect"

/** Who asks. */
type Caller = Principal["Service"]

type Query = AuditStore.AuditPage["query"]
type Position = NonNullable<AuditStore.AuditPage["after"]>

/** How many events are read at a time: most of them may lie outside the caller's scope. */
const SCAN = 500

/** One page of events; `next` continues where it ends, and is present when there is more. */
export interface AuditPage {
  readonly events: ReadonlyArray<AuditEvent>
  readonly next?: Position
}

/** Reads one page, the newest events first. */
export type ReadAudit = (
  caller: Caller,
  query: Query,
  limit: number,
  position?: Position
) => Effect.Effect<AuditPage, AuditStore.AuditStoreError | KeyStoreError>

/**
 * Makes the reader.
 *
 * **Shape** an Admin without a scope sees every event. Another sees those that name clusters, and for a namespace scope
 * namespaces, all within its rule, the asked ones too; and those on keys whose rule lies inside its own now. Names alone
 * decide: what labels a namespace had is not kept.
 *
 * **Errors** `AuditStoreError`, `KeyStoreError`. **Limits** at worst reads all events of the query once.
 */
export const make = Effect.gen(function* () {
  const store = yield* AuditStore.AuditStore
  const issuer = yield* KeyIssuer

  const isOfRealm = (caller: Caller, id: string) =>
    issuer.get(caller, id).pipe(
      Effect.as(true),
      Effect.catchTag("KeyError", () => Effect.succeed(false))
    )

  const read: ReadAudit = Effect.fn("AuditReader.read")(function* (caller, query, limit, position) {
    const seesAll = caller.rule.role === "Admin" && Rule.isUnscoped(caller.rule)
    const realm = new Map<string, boolean>()
    const isVisible = Effect.fnUntraced(function* ({ resource, target }: AuditEvent) {
      if (seesAll) return true
      if (resource !== "apiKeys") return isWithinScope(caller.rule, target)
      const { object } = target
      if (object === undefined) return false
      const isKnown = realm.get(object) ?? (yield* isOfRealm(caller, object))
      realm.set(object, isKnown)
      return isKnown
    })

    const found: Array<AuditStore.Kept> = []
    let after = position
    // One more than asked for tells whether there is more.
    while (found.length <= limit) {
      const size = seesAll ? Math.min(SCAN, limit + 1 - found.length) : SCAN
      const kept = yield* store.list({ query, limit: size, ...(after === undefined ? {} : { after }) })
      for (const one of kept) if (yield* isVisible(one.event)) found.push(one)
      after = kept.at(-1)?.position
      if (kept.length < size) break
    }
    const shown = found.slice(0, limit)
    const last = found.length > limit ? shown.at(-1) : undefined
    const page: AuditPage = {
      events: shown.map(({ event }) => event),
      ...(last === undefined ? {} : { next: last.position })
    }
    return page
  })
  return read
})

const isClusterName = Schema.is(ClusterName.ClusterName)

const isWithinScope = (rule: Rule.Rule, { asked, clusters, namespaces = [] }: AuditEvent["target"]): boolean => {
  const named = asked === "" || asked === "*" ? clusters : [...clusters, ...asked.split("|")]
  const scope = Rule.clusterScope(rule)
  if (named.length === 0 || !named.every((name) => isClusterName(name) && Target.reaches(scope, name))) return false
  const filter = Rule.namespaceFilter(rule)
  return (
    filter._tag === "All"
    || (namespaces.length > 0 && namespaces.every((name) => NamespaceFilter.matches(filter, name, undefined)))
  )
}
