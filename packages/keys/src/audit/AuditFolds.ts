/**
 * Events that are folded into one: denials beyond the rates of their source and of all, and reads of one minute.
 */
import { DateTime } from "effect"
import type { AuditFacts } from "../AuditEvent.ts"
import * as AddressBlock from "./AddressBlock.ts"

const MINUTE_MS = 60_000
/** Denials of one key that are kept singly in a minute. */
const SINGLES_OF_KEY = 10
/** Denials of one anonymous address that are kept singly in a minute. */
const SINGLES_OF_ADDRESS = 1
/** Denials of all sources that are kept singly in a minute. */
const SINGLES_IN_ALL = 600
/** Sources that are counted in a minute. Denials of any further source are folded. */
const MAX_SOURCES = 10_000
/** Folded denials of one key that keep their own target. Further ones are folded by resource, verb and code. */
const TARGETS_OF_KEY = 10
/** Folded events of denials, and of reads. Further ones are folded into a single event each. */
const MAX_DENIAL_FOLDS = 2_000
const MAX_READ_FOLDS = 10_000

export interface AuditFolds {
  /** Counts a denial, and tells whether it is to be folded. */
  readonly isOver: (denial: AuditFacts) => boolean
  readonly add: (event: AuditFacts) => void
  /** Returns the folded events, each with its count, and forgets them. */
  readonly take: () => ReadonlyArray<AuditFacts>
  /** Forgets the sources whose minute is over. */
  readonly forget: (nowMs: number) => void
}

/** A source of denials, and its minute. */
interface Source {
  readonly sinceMs: number
  singles: number
  readonly targets: Set<string>
}

interface Fold {
  readonly facts: AuditFacts
  readonly count: number
}

/** Makes an empty fold. **Limits** constant time an event; 10,000 sources and 12,000 folded events in memory. */
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

  return {
    isOver: (denial) => {
      const nowMs = DateTime.toEpochMillis(denial.at)
      if (nowMs - all.sinceMs >= MINUTE_MS) all = { sinceMs: nowMs, singles: 0 }
      const source = sourceOf(sourceNameOf(denial), nowMs)
      const most = isOfKey(denial) ? SINGLES_OF_KEY : SINGLES_OF_ADDRESS
      if (source === undefined || source.singles >= most || all.singles >= SINGLES_IN_ALL) return true
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

/** Adds an event to its fold, or to the one fold of those that find no place. */
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

/** What denials of one source have in common once their targets are not told apart. */
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

/** Keeps of the later event what the two have in common. Denials of one address block have the block as address. */
const merge = (one: AuditFacts, other: AuditFacts): AuditFacts => ({
  ...other,
  address: one.address === other.address || isOfKey(other) ? other.address : AddressBlock.of(other.address),
  resource: one.resource === other.resource ? other.resource : "unknown",
  route: one.route === other.route ? other.route : "*",
  target: isSameTarget(one.target, other.target) ? other.target : NO_TARGET
})

const isSameTarget = (one: AuditFacts["target"], other: AuditFacts["target"]): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other)

/** Stands for events of more kinds than are told apart. */
const unnamed = (event: AuditFacts): AuditFacts => ({
  ...event,
  actor: { kind: "anonymous" },
  address: "",
  resource: "unknown",
  route: "*",
  target: NO_TARGET
})
