/**
 * The filter and order of a list. The page's address holds them.
 */

/** Text fields of the filter, by their address parameters. */
const TEXTS = ["name", "labels", "status", "type", "reason", "sort"] as const
type Text = (typeof TEXTS)[number]

/** Filter and order of a list. Empty texts and arrays match every row. An empty `sort` is the list's own order. */
export interface ResourceFilter extends Readonly<Record<Text, string>> {
  readonly namespaces: ReadonlyArray<string>
  readonly order: "asc" | "desc"
}

export const parse = (search: URLSearchParams): ResourceFilter => {
  const text = (name: Text) => search.get(name) ?? ""
  return {
    name: text("name"),
    labels: text("labels"),
    status: text("status"),
    type: text("type"),
    reason: text("reason"),
    sort: text("sort"),
    namespaces: search.getAll("namespace"),
    order: search.get("order") === "desc" ? "desc" : "asc"
  }
}

/** Writes a filter into an address. Other parameters stay. **Shape** default values are omitted. */
export const write = (search: URLSearchParams, filter: ResourceFilter): URLSearchParams => {
  const next = new URLSearchParams(search)
  for (const name of [...TEXTS, "namespace", "order"]) next.delete(name)
  for (const name of TEXTS) if (filter[name] !== "") next.set(name, filter[name])
  for (const namespace of filter.namespaces) next.append("namespace", namespace)
  if (filter.order !== "asc") next.set("order", filter.order)
  return next
}

/** The part of a filter that matches every row. */
export const EVERY: Partial<ResourceFilter> = { name: "", labels: "", status: "", type: "", reason: "", namespaces: [] }

export const isNarrowed = ({ namespaces, ...filter }: ResourceFilter): boolean =>
  namespaces.length > 0 || TEXTS.some((name) => name !== "sort" && filter[name].trim() !== "")

/** Returns `{ [name]: value }`, or nothing for an empty text. */
export const given = <Name extends string>(name: Name, value: string): Partial<Record<Name, string>> => {
  const parameters: Partial<Record<Name, string>> = {}
  if (value.trim() !== "") parameters[name] = value.trim()
  return parameters
}
