/**
 * Which clusters the pages show, as their address says it.
 */

/** The clusters, as the API has them: the parent, those of some names in their order, or every one in scope. */
export type ClusterTarget =
  | { readonly _tag: "All" }
  | { readonly _tag: "Parent" }
  | { readonly _tag: "Named"; readonly names: ReadonlyArray<string> }

export const ALL: ClusterTarget = { _tag: "All" }
export const PARENT: ClusterTarget = { _tag: "Parent" }

/** How many clusters one request may name, unless a setting of the server says less. */
export const MAX_NAMES = 64

const NAMES = "cluster"
const TARGET = "target"
const PARENT_VALUE = "parent"

/** Names clusters. **Shape** each once; of no name it is every cluster. */
export const named = (names: ReadonlyArray<string>): ClusterTarget => {
  const once = [...new Set(names.filter((name) => name !== ""))]
  return once.length === 0 ? ALL : { _tag: "Named", names: once }
}

/** Reads the target of an address. **Shape** `cluster`, repeated for several; `target=parent`; none of them is all. */
export const parse = (search: URLSearchParams): ClusterTarget => {
  const target = named(search.getAll(NAMES))
  if (target._tag === "Named") return target
  return search.get(TARGET) === PARENT_VALUE ? PARENT : ALL
}

/** Gives an address another target, and leaves the rest of it alone. */
export const write = (search: URLSearchParams, target: ClusterTarget): URLSearchParams => {
  const next = new URLSearchParams(search)
  next.delete(NAMES)
  next.delete(TARGET)
  if (target._tag === "Parent") next.set(TARGET, PARENT_VALUE)
  if (target._tag === "Named") for (const name of target.names) next.append(NAMES, name)
  return next
}

/** Leaves nothing of an address but its target: what other pages are linked with. */
export const alone = (search: URLSearchParams): URLSearchParams => write(new URLSearchParams(), parse(search))

/** The header that asks the server for a target. **Shape** absent for the parent. */
export const headersOf = (target: ClusterTarget): { readonly "x-service-cluster"?: string } => {
  switch (target._tag) {
    case "All":
      return { "x-service-cluster": "*" }
    case "Named":
      return { "x-service-cluster": target.names.join("|") }
    case "Parent":
      return {}
  }
}

/** What a query of a target is remembered under. **Shape** empty for the parent, as no name is. */
export const keyOf = (target: ClusterTarget): string => headersOf(target)["x-service-cluster"] ?? ""
