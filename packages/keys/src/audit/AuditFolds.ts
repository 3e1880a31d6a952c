/**
 * Folding: similar events are counted in one event. Denials above the rate limits and reads of one minute are folded.
 */
import { DateTime } from "effect"
import type { AuditFacts } from "../AuditEvent.ts"
import * as AddressBlock from "./AddressBlock.ts"

const MINUTE_MS = 60_000
/** Denials per key and minute that are recorded singly. */
const SINGLES_OF_KEY = 10
/** Denials per anonymous address block and minute that are recorded singly. */
const SINGLES_OF_ADDRESS = 1
/** Denials of all sources per minute that are recorded singly. */
const SINGLES_IN_ALL = 600
/** Maximum number of sources that are counted per minute. Denials of further sources are folded. */
const MAX_SOURCES = 10_000
/** Folded denials per key that keep their own target. Further denials are folded by resource, verb and code. */
const TARGETS_OF_KEY = 10
/** Maximum numbers of folded events for denials and for reads. Further events are folded into one event each. */
const MAX_DENIAL_FOLDS = 2_000
const MAX_READ_FOLDS = 10_000

export interface AuditFolds {
  /** Returns whether a denial exceeds a rate limit. Counts nothing. */
  readonly exceeds: (denial: AuditFacts) => boolean
  /** Counts a denial. Returns whether the denial exceeds a rate limit and must be folded. */
  readonly isOver: (denial: AuditFacts) => boolean
  readonly add: (event: AuditFacts) => void
  /** Returns the folded events, each with its count, and clears them. */
  readonly take: () => ReadonlyArray<AuditFacts>
  /** Removes the sources whose minute has passed. */
  readonly forget: (nowMs: number) => void
}

/** A source of denials, and its counts within the minute that began at `sinceMs`. */
interface Source {
  readonly sinceMs: number
  singles: number
  readonly targets: Set<string>
}

interface Fold {
  readonly facts: AuditFacts
  readonly count: number
}

/** Makes an empty fold. **Limits** constant time per event; 10,000 sources and 12,000 folded events in memory. */
export const make = (): AuditFolds => {
  let denials = new Map<string, Fold>()
  let reads = new Map<string, Fold>()
  const sources = new Map<string, Source>()
  let all = { sinceMs: Number.NEGATIVE_INFINITY, singles: 0 }

  const sourceOf = (name: string, nowMs: number): Source | undefined => {
    const known = sources.get(name)
    if (known !== undefined && nowMs - known.sinceMs < MINUTE_MS) return known
    if (known === undefined && sources.size >= MAX_SOURCES) return undefined
    const source: Source = { sinceMs: nowMs, singles: 0, targets: new Set() }
    sources.set(name, source)
    return source
  }

  const addDenial = (event: AuditFacts): void => {
    const source = sources.get(sourceNameOf(event))
    const general = generalKeyOf(event)
    const own = keyOf(event)
    const hasOwn = isOfKey(event) && source !== undefined && hasPlace(source.targets, own, TARGETS_OF_KEY)
    addTo(denials, hasOwn ? own : general, event, MAX_DENIAL_FOLDS)
  }

  /** Returns the source that may still record a denial singly. */
  const openSourceOf = (denial: AuditFacts): Source | undefined => {
    const nowMs = DateTime.toEpochMillis(denial.at)
    if (nowMs - all.sinceMs >= MINUTE_MS) all = { sinceMs: nowMs, singles: 0 }
    const source = sourceOf(sourceNameOf(denial), nowMs)
    const most = isOfKey(denial) ? SINGLES_OF_KEY : SINGLES_OF_ADDRESS
    return source === undefined || source.singles >= most || all.singles >= SINGLES_IN_ALL ? undefined : source
  }

  return {
    exceeds: (denial) => openSourceOf(denial) === undefined,
    isOver: (denial) => {
      const source = openSourceOf(denial)
      if (source === undefined) return true
      source.singles++
      all.singles++
      return false
    },
    add: (event) => (event.decision === "deny" ? addDenial(event) : addTo(reads, keyOf(event), event, MAX_READ_FOLDS)),
    take: () => {
      const events = [...denials.values(), ...reads.values()].map(({ count, facts }): AuditFacts => ({
        ...facts,
        count
      }))
      denials = new Map()
      reads = new Map()
      return events
    },
    forget: (nowMs) => {
      for (const [name, { sinceMs }] of sources) if (nowMs - sinceMs >= MINUTE_MS) sources.delete(name)
    }
  }
}

const hasPlace = (names: Set<string>, name: string, most: number): boolean => {
  if (!names.has(name) && names.size >= most) return false
  names.add(name)
  return true
}

/** Adds an event to the fold of its key. If there are too many folds, adds it to the overflow fold. */
const addTo = (folds: Map<string, Fold>, key: string, event: AuditFacts, most: number): void => {
  const known = folds.get(key)
  if (known !== undefined) folds.set(key, { facts: merge(known.facts, event), count: known.count + 1 })
  else if (folds.size < most) folds.set(key, { facts: event, count: 1 })
  else {
    const before = folds.get("")
    folds.set("", { facts: unnamed(event), count: (before?.count ?? 0) + 1 })
  }
}

const isOfKey = ({ actor }: AuditFacts): boolean => actor.keyId !== undefined

const sourceNameOf = ({ actor, address }: AuditFacts): string =>
  actor.keyId === undefined ? `address ${AddressBlock.of(address)}` : `key ${actor.keyId}`

/** Returns the key under which denials of one source are folded regardless of their targets. */
const generalKeyOf = (event: AuditFacts): string => {
  const { actor, code, resource, status, verb, via } = event
  return JSON.stringify([
    sourceNameOf(event),
    actor.kind,
    via,
    status,
    code,
    ...(isOfKey(event) ? [resource, verb] : [])
  ])
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

const NO_TARGET: AuditFacts["target"] = { asked: "", clusters: [] }

/** Merges two events: keeps the common fields of the later event. Anonymous denials of one address block name the block. */
const merge = (one: AuditFacts, other: AuditFacts): AuditFacts => ({
  ...other,
  address: one.address === other.address || isOfKey(other) ? other.address : AddressBlock.of(other.address),
  resource: one.resource === other.resource ? other.resource : "unknown",
  route: one.route === other.route ? other.route : "*",
  target: isSameTarget(one.target, other.target) ? other.target : NO_TARGET
})

const isSameTarget = (one: AuditFacts["target"], other: AuditFacts["target"]): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other)

/** Removes the details of an event for the overflow fold. */
const unnamed = (event: AuditFacts): AuditFacts => ({
  ...event,
  actor: { kind: "anonymous" },
  address: "",
  resource: "unknown",
  route: "*",
  target: NO_TARGET
})
