/**
 * Prints an audit event as a sentence.
 */
import type { AuditEvent, AuditState } from "@quarterdeck/keys/AuditEvent"
import type { AuditedResource } from "./AuditGroup.ts"

type Target = AuditEvent["target"]
type Verb = AuditEvent["verb"]

/** The members of an event that its sentence needs. */
export type SentenceParts = Pick<
  AuditEvent,
  "after" | "before" | "code" | "count" | "decision" | "resource" | "route" | "status" | "target" | "verb"
>

/**
 * Prints an event: past tense for a change that was made, otherwise how the request ended and what it asked for.
 *
 * **Example** `Scaled shop/web in prod from 4 to 5`, `Created API key ci-eu (Operator, clusters eu)`,
 * `Refused: list workloads in stage (outside of the key's rule)`
 */
export const print = (event: SentenceParts): string => {
  const { code, count = 1, decision, status } = event
  const times = count === 1 ? "" : ` ${count} times`
  if (decision === "deny") return `Refused${times}: ${request(event)}${inBrackets(reasonOf(code))}`
  if (status === 0) return `Started: ${request(event)}`
  if (status === DISCONNECTED) return `Client disconnected${times}: ${request(event)}`
  if (status >= FAILED) return `Failed${times}: ${request(event)}${inBrackets(reasonOf(code))}`
  return `${made(event)}${count === 1 ? "" : `,${times}`}`
}

/** Statuses of a request whose client disconnected, and of the first failure. */
const DISCONNECTED = 499
const FAILED = 400

const inBrackets = (text: string): string => (text === "" ? "" : ` (${text})`)

/** Texts of codes that a reader of the audit meets most. Other codes are printed as words. */
const REASONS: Readonly<Record<string, string>> = {
  address_forbidden: "the key is not allowed from this address",
  cluster_forbidden: "outside of the key's rule",
  invalid_key: "unknown key",
  key_expired: "the key has expired",
  key_revoked: "the key is revoked",
  missing_credential: "no key was sent",
  namespace_forbidden: "outside of the key's rule",
  role_forbidden: "the key's role does not allow it",
  rule_not_contained: "beyond the caller's own rule"
}

const reasonOf = (code: string | undefined): string =>
  code === undefined ? "" : Object.hasOwn(REASONS, code) ? (REASONS[code] ?? "") : code.replaceAll("_", " ")

/** A verb as an infinitive and in the past tense. */
type Words = readonly [infinitive: string, past: string]

/** Verbs by the last part of a route. */
const ROUTE_VERBS: Readonly<Record<string, Words>> = {
  scale: ["scale", "Scaled"],
  restart: ["restart", "Restarted"],
  pause: ["pause", "Paused"],
  resume: ["resume", "Resumed"],
  rollback: ["roll back", "Rolled back"],
  resize: ["resize", "Resized"],
  evict: ["evict", "Evicted"],
  rotate: ["rotate", "Rotated"],
  watch: ["follow", "Followed"]
}

const VERBS: Readonly<Record<Verb, Words>> = {
  read: ["read", "Read"],
  create: ["create", "Created"],
  operate: ["change", "Changed"],
  delete: ["delete", "Deleted"]
}

/** Verbs of a resource that differ from {@link VERBS}. */
const RESOURCE_VERBS: Readonly<Record<string, Partial<Record<Verb, Words>>>> = {
  apiKeys: { delete: ["revoke", "Revoked"] },
  clusters: { create: ["register", "Registered"], delete: ["remove", "Removed"] },
  ownKey: { delete: ["revoke", "Revoked"] }
}

const LIST: Words = ["list", "Listed"]
const CALL: Words = ["call", "Called"]
const PREVIEW: Words = ["preview", "Previewed"]

const NOUNS: Readonly<Record<AuditedResource, readonly [one: string, many: string]>> = {
  apiKeys: ["API key", "API keys"],
  audit: ["the audit log", "the audit log"],
  clusters: ["cluster", "clusters"],
  cost: ["costs", "costs"],
  events: ["events", "events"],
  namespaces: ["namespace", "namespaces"],
  overview: ["the overview", "the overview"],
  ownKey: ["the caller's own key", "the caller's own key"],
  podLogs: ["logs of pod", "pod logs"],
  pods: ["pod", "pods"],
  prices: ["the prices", "the prices"],
  workloads: ["workload", "workloads"],
  mcp: ["the MCP endpoint", "the MCP endpoint"],
  session: ["the session", "the session"],
  unknown: ["an unknown path", "an unknown path"]
}

const isKnown = (resource: string): resource is AuditedResource => Object.hasOwn(NOUNS, resource)

/** Resources whose reads without an object are lists. */
const LISTS: ReadonlySet<string> = new Set(["apiKeys", "clusters", "events", "namespaces", "pods", "workloads"])

const ownOf = <Value>(values: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined

/** The object of a bulk action. **Example** `scale: 3 workloads` */
const BULK = /^([a-z]+): (.+)$/

/** The object of a dry run that the query asks for. */
const DRY_RUN = "dryRun"

/** The verb and the object of a request. */
interface Call {
  readonly words: Words
  /** Empty if the sentence needs no object. */
  readonly object: string
  /** True for the dry run of an action, which the audit records as a read of the action's route. */
  readonly isDryRun: boolean
}

const SESSION: Readonly<Record<Verb, Words>> = {
  read: ["read the session", "Read the session"],
  create: ["sign in", "Signed in"],
  operate: ["change the session", "Changed the session"],
  delete: ["sign out", "Signed out"]
}

const callOf = ({ after, before, resource, route, target, verb }: SentenceParts): Call => {
  const isRead = verb === "read"
  if (resource === "session") return { words: SESSION[verb], object: "", isDryRun: false }
  const [, action = "", workloads = ""] = BULK.exec(target.object ?? "") ?? []
  const bulk = ownOf(ROUTE_VERBS, action)
  if (bulk !== undefined) return { words: bulk, object: `${workloads}${ofNamespaces(target)}`, isDryRun: isRead }
  const routed = ownOf(ROUTE_VERBS, route.slice(route.lastIndexOf("/") + 1))
  const name = nameOf(resource, target, after ?? before)
  const isWatch = routed === ROUTE_VERBS["watch"]
  const words =
    (target.object === DRY_RUN ? PREVIEW : routed)
    ?? (resource === "mcp" || resource === "unknown" ? CALL : undefined)
    ?? (isRead && name === "" && LISTS.has(resource) ? LIST : undefined)
    ?? ownOf(RESOURCE_VERBS, resource)?.[verb]
    ?? VERBS[verb]
  const isDryRun = isRead && routed !== undefined && !isWatch
  if (routed !== undefined && resource === "workloads" && name !== "") return { words, object: name, isDryRun }
  const noun = isKnown(resource) ? NOUNS[resource][isRead && name === "" ? 1 : 0] : resource
  return { words, object: name === "" ? `${noun}${ofNamespaces(target)}` : `${noun} ${name}`, isDryRun }
}

/** Returns the name of the object: `namespace/name`, a cluster, or the name or id of a key. Empty if there is none. */
const nameOf = (resource: string, { asked, namespaces = [], object = "" }: Target, state: AuditState | undefined) => {
  if (resource === "apiKeys") return textOf(state, "name") ?? object
  if (resource === "clusters" && object === "") return asked === "*" ? "" : asked
  if (object === "" || object === DRY_RUN) return ""
  const name = object.slice(object.indexOf("/") + 1)
  return namespaces.length === 1 ? `${namespaces.join("")}/${name}` : name
}

const ofNamespaces = ({ namespaces = [] }: Target): string =>
  namespaces.length === 0 ? "" : ` of namespace${namespaces.length === 1 ? "" : "s"} ${listOf(namespaces)}`

/** Prints the clusters of a request: the resolved ones, or else the requested ones. */
const place = ({ resource, target: { asked, clusters, object } }: SentenceParts): string => {
  if (resource === "clusters" && object === undefined && asked !== "*") return ""
  if (clusters.length > 0) return ` in ${listOf(clusters)}`
  if (asked === "") return ""
  return asked === "*" ? " in all clusters" : ` in ${listOf(asked.split("|"))}`
}

/** Maximum number of names in a sentence. */
const MAX_NAMES = 3

const listOf = (names: ReadonlyArray<string>): string => {
  const rest = names.length - MAX_NAMES
  return rest > 0 ? `${names.slice(0, MAX_NAMES).join(", ")} and ${rest} more` : names.join(", ")
}

const request = (event: SentenceParts): string => sentence(event, 0)

const made = (event: SentenceParts): string => `${sentence(event, 1)}${detailOf(event)}`

const sentence = (event: SentenceParts, tense: 0 | 1): string => {
  const { isDryRun, object, words } = callOf(event)
  return `${words[tense]}${object === "" ? "" : ` ${object}`}${place(event)}${isDryRun ? " as a dry run" : ""}`
}

/** Prints the change itself: replicas before and after, descendants of a key, or the rule of a key. */
const detailOf = ({ after, before, resource, target: { descendants = 0 } }: SentenceParts): string => {
  const [from, to] = [before?.["replicas"], after?.["replicas"]]
  if (typeof from === "number" && typeof to === "number") return ` from ${from} to ${to}`
  if (descendants > 0) return ` and ${descendants} ${descendants === 1 ? "descendant" : "descendants"}`
  return resource === "apiKeys" && after !== undefined ? inBrackets(ruleOf(after)) : ""
}

const ruleOf = (state: AuditState): string => {
  const [clusters, namespaces] = [namesOf(state["targetClusters"]), state["targetNamespaces"]]
  const scope =
    state["isTruncated"] === true
      ? "a scope too long to record"
      : clusters === undefined
        ? "all clusters"
        : `clusters ${listOf(clusters)}`
  const selections = Array.isArray(namespaces) ? ", some namespaces" : ""
  return `${textOf(state, "role") ?? "unknown role"}, ${scope}${selections}`
}

const textOf = (state: AuditState | undefined, name: string): string | undefined => {
  const value = state?.[name]
  return typeof value === "string" ? value : undefined
}

const namesOf = (value: unknown): ReadonlyArray<string> | undefined =>
  Array.isArray(value) ? value.filter((name) => typeof name === "string") : undefined
