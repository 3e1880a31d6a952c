/**
 * Names the journal's files by cluster, so that every cluster's name can be kept.
 */
import { is, type ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Effect } from "effect"
import { hash } from "node:crypto"
import { join } from "node:path"
import type { CostError } from "../hour/CostError.ts"
import * as DurableFile from "../hour/DurableFile.ts"

/** File systems take names of 255 bytes; the longest that is put to a cluster's is `@backfill.json.new` or an hour's. */
const MAX_LENGTH = 235
const DIGEST = /^@[0-9a-f]{64}$/

/** What a cluster's files begin with, up to an `@` that no cluster's name has. */
export interface JournalNames {
  readonly of: (cluster: ClusterName) => string
  /** Keeps what is needed to find the cluster again, before a file is made that begins so. */
  readonly keep: (cluster: ClusterName) => Effect.Effect<void, CostError>
  /** Finds the cluster again. **Shape** `undefined` for what nobody kept. */
  readonly find: (name: string) => Effect.Effect<ClusterName | undefined, CostError>
}

/** Makes the names in a directory: the cluster's own name, or where that is too long `@` and its digest. */
export const make = (directory: string): JournalNames => {
  const kept = new Set<ClusterName>()
  const fileOf = (name: string): string => join(directory, `${name}@name`)
  return {
    of: nameOf,
    keep: (cluster) =>
      Effect.suspend(() => {
        const name = nameOf(cluster)
        if (name === cluster || kept.has(cluster)) return Effect.void
        return Effect.map(DurableFile.replace("keep the name of a cluster", fileOf(name), cluster), () => {
          kept.add(cluster)
        })
      }),
    find: (name) =>
      DIGEST.test(name)
        ? Effect.map(DurableFile.read("read the name of a cluster", fileOf(name)), (text = "") =>
            is(text) && nameOf(text) === name ? text : undefined
          )
        : Effect.succeed(is(name) ? name : undefined)
  }
}

const nameOf = (cluster: ClusterName): string =>
  cluster.length <= MAX_LENGTH ? cluster : `@${hash("sha256", cluster, "hex")}`
