/**
 * The clusters that the pages show. The address of the page holds them.
 */

/**
 * A target of requests: the server's parent cluster, which needs no header, named clusters in their order, or every
 * cluster in scope.
 */
export type ClusterTarget =
  | { readonly _tag: "All" }
  | { readonly _tag: "Parent" }
  | { readonly _tag: "Named"; readonly names: ReadonlyArray<string> }

export const ALL: ClusterTarget = { _tag: "All" }
export const PARENT: ClusterTarget = { _tag: "Parent" }

/** Maximum number of clusters that a request may name. A setting of the server may lower it. */
export const MAX_NAMES = 64

const NAMES = "cluster"
const TARGET = "target"
const PARENT_VALUE = "parent"

/** Makes a target of names. **Shape** duplicates are removed. Without names the target is every cluster. */
export const named = (names: ReadonlyArray<string>): ClusterTarget => {
  const unique = [...new Set(names.filter((name) => name !== ""))]
  return unique.length === 0 ? ALL : { _tag: "Named", names: unique }
}

/** Reads the target of an address. **Shape** `cluster`, repeated for several; `target=parent`; neither means every cluster. */
export const parse = (search: URLSearchParams): ClusterTarget => {
  const target = named(search.getAll(NAMES))
  if (target._tag === "Named") return target
  return search.get(TARGET) === PARENT_VALUE ? PARENT : ALL
}

/** Replaces the target of an address. Other parameters stay. */
export const write = (search: URLSearchParams, target: ClusterTarget): URLSearchParams => {
  const next = new URLSearchParams(search)
  next.delete(NAMES)
  next.delete(TARGET)
  if (target._tag === "Parent") next.set(TARGET, PARENT_VALUE)
  if (target._tag === "Named") for (const name of target.names) next.append(NAMES, name)
  return next
}

/** Removes every parameter except the target, for links to other pages. */
export const alone = (search: URLSearchParams): URLSearchParams => write(new URLSearchParams(), parse(search))

/** Returns the cluster header of a target. **Shape** empty for the parent. */
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

/** Returns the cache key of a target. **Shape** empty for the parent. */
export const keyOf = (target: ClusterTarget): string => headersOf(target)["x-service-cluster"] ?? ""
