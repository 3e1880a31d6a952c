/**
 * Makes the snapshots of a registry from what is known of its clusters.
 */
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Schema } from "effect"
import type { Cluster, Connection } from "./Cluster.ts"
import type { RegistrySnapshot } from "./ClusterRegistry.ts"
import { generationOf } from "./ConnectionDigest.ts"

/** What a program with clusters of its own knows of one. */
export interface OwnCluster {
  readonly connection: Connection
  readonly labels?: Readonly<Record<string, string>>
}

/** The clusters of a program of its own, by name. **Shape** `parent` names one of them. */
export interface OwnClusters {
  readonly parent: string
  readonly clusters: Readonly<Record<string, OwnCluster>>
}

const isName = Schema.is(ClusterName)

/**
 * Makes a snapshot of clusters that are registered by the program itself.
 *
 * **Errors** throws a `TypeError` for a name outside of the grammar of cluster names, and for a parent that is not there.
 */
export const make = ({ clusters, parent }: OwnClusters): RegistrySnapshot => {
  const found: Array<Cluster> = []
  for (const [name, { connection, labels = {} }] of Object.entries(clusters)) {
    if (!isName(name)) throw new TypeError(`${JSON.stringify(name)} does not make a cluster name`)
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
  if (first === undefined)
    throw new TypeError(`no cluster is named ${JSON.stringify(parent)}, which should be the parent`)
  return { parent: first.name, clusters: inOrder(found), problems: [] }
}

/** Puts the parent first and the others by name. */
export const inOrder = (clusters: ReadonlyArray<Cluster>): ReadonlyArray<Cluster> =>
  clusters.toSorted((a, b) => {
    if (a.role !== b.role) return a.role === "parent" ? -1 : 1
    return a.name < b.name ? -1 : a.name > b.name ? 1 : 0
  })

/** Says which law of the port a snapshot breaks, `undefined` for one that keeps them. */
export const faultOf = ({ clusters, parent }: RegistrySnapshot): string | undefined => {
  const names = clusters.map(({ name }) => name)
  const wrong = names.find((name) => !isName(name))
  if (wrong !== undefined) return `${JSON.stringify(wrong)} does not make a cluster name`
  const twice = names.find((name, place) => names.indexOf(name) !== place)
  if (twice !== undefined) return `two clusters are named ${twice}`
  const parents = clusters.filter(({ role }) => role === "parent").map(({ name }) => name)
  if (parents.length !== 1 || parents[0] !== parent)
    return `the parent is ${parent}, and the clusters with that role are: ${parents.join(", ") || "none"}`
  const order = inOrder(clusters)
  if (clusters.some((cluster, place) => cluster !== order[place]))
    return `the order is ${names.join(", ")}: the parent goes first and the others by name`
  return undefined
}
