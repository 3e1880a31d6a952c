/**
 * The filter of the audit page. The page's address holds it.
 */
import { AuditedResource, AuditQuery } from "@quarterdeck/contract/AuditGroup"
import { Schema } from "effect"
import type { AuditParameters, Decision, Verb } from "../api/AuditQueries.ts"
import { CUSTOM } from "../form/TimeRange.ts"

export const RANGES = [
  ["1h", "The last hour"],
  ["24h", "The last 24 hours"],
  ["7d", "The last 7 days"],
  ["30d", "The last 30 days"],
  ["all", "All stored events"]
] as const

export type Range = (typeof RANGES)[number][0] | typeof CUSTOM

export const DECISIONS: ReadonlyArray<Decision> = ["allow", "deny"]
export const VERBS: ReadonlyArray<Verb> = ["read", "create", "operate", "delete"]

export const RESOURCES = AuditedResource.literals

/**
 * Filter of the list of events. Empty strings match every event.
 *
 * **Shape** `from` and `to` are days in the user's time zone, both inclusive.
 */
export interface AuditFilter {
  readonly range: Range
  readonly from: string
  readonly to: string
  /** Part of a caller's name, or an id. */
  readonly actor: string
  /** Part of an object's name or id. */
  readonly object: string
  readonly decision: Decision | undefined
  readonly resource: AuditedResource | undefined
  readonly verb: Verb | undefined
  /** Cluster of the events. It is independent of the cluster switcher, because the audit log belongs to the server. */
  readonly on: string
}

export const NO_FILTER: AuditFilter = {
  range: "24h",
  from: "",
  to: "",
  actor: "",
  object: "",
  decision: undefined,
  resource: undefined,
  verb: undefined,
  on: ""
}

export const rangeOf = (text: string | null): Range =>
  text === CUSTOM ? CUSTOM : (RANGES.find(([range]) => range === text)?.[0] ?? NO_FILTER.range)
export const decisionOf = (text: string | null): Decision | undefined => DECISIONS.find((one) => one === text)
export const resourceOf = (text: string | null): AuditedResource | undefined => RESOURCES.find((one) => one === text)
export const verbOf = (text: string | null): Verb | undefined => VERBS.find((one) => one === text)

const isQuery = Schema.is(AuditQuery)

/** Returns the API parameter of a cluster. **Shape** empty if the text is not a valid name. */
const onCluster = (text: string): Pick<AuditParameters, "cluster"> => {
  const query = { cluster: text }
  return isQuery(query) ? query : {}
}

/** Parameter of links to the events of a key. The field for callers shows its value. */
const KEY_ID = "keyId"

/** Matches the start of an id. The API compares ids exactly, and searches names for a part. */
const ID = /^(?:key_|cfg_|oidc:)/

const byActor = (text: string): Pick<AuditParameters, "actor" | "keyId"> =>
  text === "" ? {} : ID.test(text) ? { keyId: text } : { actor: text }

export const parse = (search: URLSearchParams): AuditFilter => ({
  range: rangeOf(search.get("range")),
  from: search.get("from") ?? "",
  to: search.get("to") ?? "",
  actor: search.get("actor") ?? search.get(KEY_ID) ?? "",
  object: search.get("object") ?? "",
  decision: decisionOf(search.get("decision")),
  resource: resourceOf(search.get("resource")),
  verb: verbOf(search.get("verb")),
  on: onCluster(search.get("on") ?? "").cluster ?? ""
})

/** Writes a filter into an address. Other parameters stay. **Shape** default values are omitted. */
export const write = (search: URLSearchParams, filter: AuditFilter): URLSearchParams => {
  const next = new URLSearchParams(search)
  const isCustom = filter.range === CUSTOM
  const values = {
    ...filter,
    range: filter.range === NO_FILTER.range ? "" : filter.range,
    from: isCustom ? filter.from : "",
    to: isCustom ? filter.to : ""
  }
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || value === "") next.delete(name)
    else next.set(name, value)
  }
  next.delete(KEY_ID)
  return next
}

/** Returns true if the filter restricts more than the period. */
export const isNarrowed = ({ actor, decision, object, on, resource, verb }: AuditFilter): boolean =>
  decision !== undefined || actor !== "" || object !== "" || on !== "" || resource !== undefined || verb !== undefined

const HOUR_MS = 3_600_000
const LENGTHS: Readonly<Record<string, number>> = {
  "1h": HOUR_MS,
  "24h": 24 * HOUR_MS,
  "7d": 168 * HOUR_MS,
  "30d": 720 * HOUR_MS
}

/** Returns the start of the day `later` days after `day`, in the user's time zone. **Units** epoch milliseconds, or NaN. */
const startOf = (day: string, later = 0): number => {
  const [year = Number.NaN, month = 1, date = 1] = day.split("-").map((part) => Number.parseInt(part, 10))
  return new Date(year, month - 1, date + later).getTime()
}

const instant = (name: "since" | "until", ms: number | undefined) =>
  ms === undefined || Number.isNaN(ms) ? {} : { [name]: new Date(ms).toISOString() }

/** Makes the API parameters of a filter. **Shape** incomplete dates are ignored. */
export const parametersOf = (filter: AuditFilter, nowMs: number): AuditParameters => {
  const { actor, decision, from, object, on, range, resource, to, verb } = filter
  const isCustom = range === CUSTOM
  const length = LENGTHS[range]
  return {
    ...instant("since", isCustom ? startOf(from) : length === undefined ? undefined : nowMs - length),
    ...instant("until", isCustom ? startOf(to, 1) : undefined),
    ...byActor(actor.trim()),
    ...(object.trim() === "" ? {} : { object: object.trim() }),
    ...(decision === undefined ? {} : { decision }),
    ...(resource === undefined ? {} : { resource }),
    ...(verb === undefined ? {} : { verb }),
    ...onCluster(on)
  }
}
