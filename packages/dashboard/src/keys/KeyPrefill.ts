/**
 * Initial values of the form of a new key: from the page's address, or from a preset.
 */
import type { Role } from "../api/Shapes.ts"
import { emptySelector, type ExpiryDraft, type KeyDraft } from "./KeyDraft.ts"

type Prefill = Partial<KeyDraft>

/** A preset, written as the parameters of an address. */
export interface Preset {
  readonly label: string
  /** Explains the choice. */
  readonly note: string
  readonly search: string
}

export const PRESETS: ReadonlyArray<Preset> = [
  {
    label: "CI, read-only in one cluster",
    note: "Enter the name of the cluster. Add the addresses of your runners if they are fixed.",
    search: "role=Viewer&clusters=&expire=90d&description=Reads one cluster for CI"
  },
  {
    label: "Operator of one namespace",
    note: "Enter the namespace, and the clusters if the key must not reach it everywhere.",
    search: "role=Operator&namespaces=&expire=90d&description=Operates one namespace"
  },
  {
    label: "Auditor",
    note: "Only an Admin can read the audit. The key can therefore also change things, so it ends after 7 days.",
    search: "role=Admin&expire=7d&description=Reads the audit"
  }
]

const ROLES: ReadonlyArray<Role> = ["Viewer", "Operator", "Admin"]

/** Returns the presets whose role is not above a role. */
export const presetsUpTo = (highest: Role): ReadonlyArray<Preset> =>
  PRESETS.filter(
    ({ search }) => ROLES.indexOf(parse(new URLSearchParams(search)).role ?? "Viewer") <= ROLES.indexOf(highest)
  )

/** Maximum number of names of one parameter, and maximum length of a text. */
const MAX_NAMES = 32
const MAX_TEXT = 256

const namesOf = (text: string): ReadonlyArray<string> =>
  [
    ...new Set(
      text
        .split(",")
        .map((name) => name.trim())
        .filter((name) => name !== "" && name.length <= MAX_TEXT)
    )
  ].slice(0, MAX_NAMES)

/** Parses a duration. **Example** `90d` */
const expiryOf = (text: string): ExpiryDraft | undefined => {
  if (text === "never") return { _tag: "Never" }
  const [, count, unit] = /^([1-9][0-9]{0,3})([dy])$/.exec(text) ?? []
  return count === undefined ? undefined : { _tag: "After", count, unit: unit === "y" ? "y" : "d" }
}

const PARAMETERS = ["name", "description", "role", "clusters", "namespaces", "allowFrom", "expire"] as const

/** Returns the parameters of an address that fill the form. */
export const parametersOf = (search: URLSearchParams): URLSearchParams =>
  new URLSearchParams(
    PARAMETERS.flatMap((name) => {
      const value = search.get(name)
      return value === null ? [] : [[name, value]]
    })
  )

/** Removes the parameters that fill the form. Other parameters stay. */
export const withoutParameters = (search: URLSearchParams): URLSearchParams => {
  const next = new URLSearchParams(search)
  for (const name of PARAMETERS) next.delete(name)
  return next
}

/**
 * Reads the parameters `name`, `description`, `role`, `clusters`, `namespaces`, `allowFrom` and `expire`.
 *
 * **Shape** lists are separated by commas. An empty list opens the field for its names. Invalid values are ignored.
 */
export const parse = (search: URLSearchParams): Prefill => {
  const read = (name: string) => search.get(name)?.slice(0, MAX_NAMES * MAX_TEXT)
  const [name, description, clusters] = [read("name"), read("description"), read("clusters")]
  const [namespaces, allowFrom] = [read("namespaces"), read("allowFrom")]
  const role = ROLES.find((one) => one === read("role"))
  const expiry = expiryOf(read("expire") ?? "")
  return {
    ...(name === undefined ? {} : { name: name.slice(0, 128) }),
    ...(description === undefined ? {} : { description: description.slice(0, MAX_TEXT) }),
    ...(role === undefined ? {} : { role }),
    ...(clusters === undefined ? {} : { clusters: namesOf(clusters) }),
    ...(namespaces === undefined ? {} : { selectors: [{ ...emptySelector(1), names: namesOf(namespaces) }] }),
    ...(allowFrom === undefined ? {} : { allowFrom: namesOf(allowFrom) }),
    ...(expiry === undefined ? {} : { expiry })
  }
}

/**
 * Applies initial values to a draft inside the caller's own rule.
 *
 * **Shape** a role above the caller's, clusters outside of its rule, and namespaces of a caller with a namespace scope are
 * not taken over: the draft keeps the caller's own.
 */
export const apply = (draft: KeyDraft, prefill: Prefill, highest: Role): KeyDraft => {
  const { clusters, role = draft.role, selectors, ...rest } = prefill
  const own = draft.clusters
  const inside = own === undefined ? clusters : clusters?.filter((name) => own.includes(name))
  return {
    ...draft,
    ...rest,
    role: ROLES.indexOf(role) <= ROLES.indexOf(highest) ? role : draft.role,
    clusters: clusters === undefined || (inside?.length === 0 && own !== undefined) ? own : inside,
    selectors: draft.selectors === undefined ? selectors : draft.selectors
  }
}
