/**
 * Events that are kept as one: more denials than an address may have one by one, and reads of one minute.
 */
import { DateTime } from "effect"
import type { AuditFacts } from "../AuditEvent.ts"

/** Denials of one address that are kept one by one in a second. */
const SINGLES = 10
const SECOND_MS = 1_000
/** Kinds of events that are folded at a time, and addresses that are counted; what is beyond is folded into one. */
const MAX_FOLDS = 10_000

export interface AuditFolds {
  /** Counts a denial, and tells whether it is to be folded. */
  readonly isOver: (denial: AuditFacts) => boolean
  readonly add: (event: AuditFacts) => void
  /** Gives what was folded, each with its count, and forgets it. */
  readonly take: () => ReadonlyArray<AuditFacts>
  /** Forgets the addresses whose second is over. */
  readonly forget: (nowMs: number) => void
}

/** Makes an empty fold. **Limits** constant time an event, bounded memory. */
export const make = (): AuditFolds => {
  let folded = new Map<string, { last: AuditFacts; count: number }>()
  const denials = new Map<string, { readonly sinceMs: number; readonly count: number }>()

  return {
    isOver: ({ address, at }) => {
      const nowMs = DateTime.toEpochMillis(at)
      const known = denials.get(address)
      if (known === undefined && denials.size >= MAX_FOLDS) return true
      const isOfSecond = known !== undefined && nowMs - known.sinceMs < SECOND_MS
      const next = isOfSecond ? { ...known, count: known.count + 1 } : { sinceMs: nowMs, count: 1 }
      denials.set(address, next)
      return next.count > SINGLES
    },
    add: (event) => {
      const whole = keyOf(event)
      const isFull = folded.size >= MAX_FOLDS && !folded.has(whole)
      const key = isFull ? event.decision : whole
      const before = folded.get(key)
      if (before === undefined) folded.set(key, { last: isFull ? anybody(event) : event, count: 1 })
      else folded.set(key, { last: isFull ? before.last : event, count: before.count + 1 })
    },
    take: () => {
      const events = [...folded.values()].map(({ count, last }): AuditFacts => ({ ...last, count }))
      folded = new Map()
      return events
    },
    forget: (nowMs) => {
      for (const [address, { sinceMs }] of denials) if (nowMs - sinceMs >= SECOND_MS) denials.delete(address)
    }
  }
}

const keyOf = ({ actor, address, code, decision, resource, route, status, target, verb, via }: AuditFacts): string =>
  JSON.stringify([
    actor.kind,
    actor.keyId,
    via,
    decision === "deny" ? address : "",
    resource,
    verb,
    route,
    target.asked,
    target.clusters,
    target.namespaces,
    target.object,
    decision,
    status,
    code
  ])

/** Stands for events of more kinds than are told apart. */
const anybody = (event: AuditFacts): AuditFacts => ({
  ...event,
  actor: { kind: "anonymous" },
  address: "",
  route: "*",
  target: { asked: "", clusters: [] }
})
