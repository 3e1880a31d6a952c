/**
 * Makes registry snapshots from a program's own clusters, and validates them.
 */
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Schema } from "effect"
import type { Cluster, Connection } from "./Cluster.ts"
import type { RegistrySnapshot } from "./ClusterRegistry.ts"
import { generationOf } from "./ConnectionDigest.ts"

/** A cluster of an application's own inventory. */
export interface OwnCluster {
  readonly connection: Connection
  readonly labels?: Readonly<Record<string, string>>
}

/** The clusters of an application, by name. **Shape** `parent` is the name of one of them. */
export interface OwnClusters {
  readonly parent: string
  readonly clusters: Readonly<Record<string, OwnCluster>>
}

const isName = Schema.is(ClusterName)

/**
 * Makes a snapshot of clusters that the application registers itself.
 *
 * **Errors** throws a `TypeError` for an invalid cluster name, and if the parent does not exist.
 */
export const make = ({ clusters, parent }: OwnClusters): RegistrySnapshot => {
  const found: Array<Cluster> = []
  for (const [name, { connection, labels = {} }] of Object.entries(clusters)) {
    if (!isName(name)) throw new TypeError(`${JSON.stringify(name)} is not a valid cluster name`)
    found.push({
      name,
      role: name === parent ? "parent" : "child",
      labels,
      origin: "registered",
      connection,
      generation: generationOf(connection)
    })
  }
  const first = found.find(({ role }) => role === "parent")
  if (first === undefined) throw new TypeError(`the parent cluster ${JSON.stringify(parent)} does not exist`)
  return { parent: first.name, clusters: inOrder(found), problems: [] }
}

/** Sorts the parent first and the others by name. */
export const inOrder = (clusters: ReadonlyArray<Cluster>): ReadonlyArray<Cluster> =>
  clusters.toSorted((a, b) => {
    if (a.role !== b.role) return a.role === "parent" ? -1 : 1
    return a.name < b.name ? -1 : a.name > b.name ? 1 : 0
  })

/** Returns which rule of `RegistrySnapshot` a snapshot violates; `undefined` if it is valid. */
export const faultOf = ({ clusters, parent }: RegistrySnapshot): string | undefined => {
  const names = clusters.map(({ name }) => name)
  const wrong = names.find((name) => !isName(name))
  if (wrong !== undefined) return `${JSON.stringify(wrong)} is not a valid cluster name`
  const twice = names.find((name, place) => names.indexOf(name) !== place)
  if (twice !== undefined) return `two clusters are named ${twice}`
  const parents = clusters.filter(({ role }) => role === "parent").map(({ name }) => name)
  if (parents.length !== 1 || parents[0] !== parent)
    return `the parent is ${parent}, but the clusters with the role parent are: ${parents.join(", ") || "none"}`
  const order = inOrder(clusters)
  if (clusters.some((cluster, place) => cluster !== order[place]))
    return `the order is ${names.join(", ")}: the parent goes first and the others by name`
  return undefined
}
