/**
 * Reads the audit events that a caller may see.
 */
import { RuleContainment } from "@quarterdeck/keys"
import * as AuditStore from "@quarterdeck/keys/audit/AuditStore"
import type { AuditEvent, AuditState } from "@quarterdeck/keys/AuditEvent"
import type { KeyStoreError } from "@quarterdeck/keys/KeyError"
import { KeyIssuer } from "@quarterdeck/keys/KeyIssuer"
import type { Principal } from "@quarterdeck/keys/Principal"
import * as Rule from "@quarterdeck/keys/Rule"
import * as ClusterName from "@quarterdeck/targeting/ClusterName"
import * as NamespaceFilter from "@quarterdeck/targeting/NamespaceFilter"
import * as Target from "@quarterdeck/targeting/Target"
import { Effect, Schema } from "effect"
import * as AuditedChange from "./AuditedChange.ts"

type Caller = Principal["Service"]

type Query = AuditStore.AuditPage["query"]

/** Maximum number of events that one read of the store returns. Many of them may be outside the caller's scope. */
const PART = 500
/** Maximum number of store reads for one page; each scans up to 5,000 rows. A page may have fewer events than requested. */
const MAX_LOOKS = 10
/** Maximum number of keys that are looked up for one page. */
const MAX_KEYS = 500

/** One page of events. **Shape** `next` is the start of the next page, absent at the end. Any page may be empty. */
export interface AuditPage {
  readonly events: ReadonlyArray<AuditEvent>
  readonly next?: number
}

/** Reads one page, newest events first. **Shape** `before` is the `next` of the previous page. */
export type ReadAudit = (
  caller: Caller,
  query: Query,
  limit: number,
  before?: number
) => Effect.Effect<AuditPage, AuditStore.AuditStoreError | KeyStoreError>

/**
 * Makes the reader.
 *
 * **Shape** An Admin without a scope sees every event. A scoped Admin sees an event if all its clusters, requested ones
 * included, are within the scope. A namespace scope must also contain all its namespaces. The Admin also sees events on
 * keys whose rule is currently within its own, each state of a key only if its rule at that time was too. A hidden state
 * is not searched. Only names decide: the audit does not store namespace labels.
 *
 * **Errors** `AuditStoreError`, `KeyStoreError`. **Limits** A page reads at most 50,000 rows and 500 keys.
 */
export const make = Effect.gen(function* () {
  const store = yield* AuditStore.AuditStore
  const issuer = yield* KeyIssuer

  const isOfRealm = (caller: Caller, id: string) =>
    issuer.get(caller, id).pipe(
      Effect.as(true),
      Effect.catchTag("KeyError", () => Effect.succeed(false))
    )

  const read: ReadAudit = Effect.fn("AuditReader.read")(function* (caller, query, limit, before) {
    const seesAll = caller.rule.role === "Admin" && Rule.isUnscoped(caller.rule)
    const narrowed: Query = seesAll ? query : { ...query, within: scopeOf(caller.rule) }
    const realm = new Map<string, boolean>()
    /** Returns the part of an event that the caller may see, if it matches the query. */
    const visible = Effect.fnUntraced(function* (event: AuditEvent) {
      if (seesAll) return event
      if (event.resource !== "apiKeys") return isWithinScope(caller.rule, event.target) ? event : undefined
      const { object } = event.target
      const shown = withStatesWithin(caller.rule, event)
      if (object === undefined || !isFoundBy(query.object, shown)) return undefined
      const isKnown = realm.get(object) ?? (yield* isOfRealm(caller, object))
      realm.set(object, isKnown)
      return isKnown ? shown : undefined
    })

    const found: Array<AuditStore.Kept> = []
    let next = before
    // Reads one event more than requested, to know whether there is a next page.
    for (let look = 0; look < MAX_LOOKS; look++) {
      const size = seesAll ? Math.min(PART, limit + 1 - found.length) : PART
      const part = yield* store.list({ query: narrowed, limit: size, ...(next === undefined ? {} : { before: next }) })
      next = part.before
      for (const { event, number } of part.kept) {
        const shown = yield* visible(event)
        if (shown !== undefined) found.push({ number, event: shown })
        if (found.length <= limit && realm.size < MAX_KEYS) continue
        next = number
        break
      }
      if (next === undefined || found.length > limit || realm.size >= MAX_KEYS) break
    }
    const shown = found.slice(0, limit)
    const end = found.length > limit ? shown.at(-1)?.number : next
    const events = shown.map(({ event }) => event)
    return end === undefined ? { events } : { events, next: end }
  })
  return read
})

/** The part of a rule that SQL can filter by: clusters, and namespaces of selectors without labels. */
const scopeOf = (rule: Rule.Rule): NonNullable<Query["within"]> => ({
  ...(rule.targetClusters === undefined ? {} : { clusters: rule.targetClusters }),
  ...(rule.targetNamespaces === undefined
    ? {}
    : {
        namespaces: rule.targetNamespaces.flatMap(({ labelSelector, namespaceNames }) =>
          labelSelector === undefined ? namespaceNames : []
        )
      })
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

/** Leaves out the states of a key whose rule is not within a rule. The key's present rule may be narrower than theirs. */
const withStatesWithin = (rule: Rule.Rule, { after, before, ...event }: AuditEvent): AuditEvent => {
  const isShown = (state: AuditState | undefined): state is AuditState => {
    const stateRule = state === undefined ? undefined : AuditedChange.ruleOf(state)
    return stateRule !== undefined && RuleContainment.isWithin(stateRule, rule)
  }
  return { ...event, ...(isShown(before) ? { before } : {}), ...(isShown(after) ? { after } : {}) }
}

/** Matches a part of the id or a name of a key, as `AuditReads` matches the object of other events. */
const isFoundBy = (part: string | undefined, { after, before, target }: AuditEvent): boolean => {
  if (part === undefined) return true
  const texts = [target.object, before?.["name"], after?.["name"]]
  return texts.some((text) => typeof text === "string" && lowered(text).includes(lowered(part)))
}

/** Lowers ASCII letters only, as SQLite does. */
const lowered = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
