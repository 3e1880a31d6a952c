/**
 * Maps cluster names to file name prefixes in the journal, for names of any length.
 */
import { is, type ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Effect } from "effect"
import { hash } from "node:crypto"
import { join } from "node:path"
import type { CostError } from "../hour/CostError.ts"
import * as DurableFile from "../hour/DurableFile.ts"

/** Maximum length of a prefix. File systems allow 255 bytes with the suffix, such as `@backfill.json.new`. */
const MAX_LENGTH = 235
const DIGEST = /^@[0-9a-f]{64}$/

/** The file name prefix of each cluster. After the prefix comes an `@`, which cluster names cannot contain. */
export interface JournalNames {
  readonly of: (cluster: ClusterName) => string
  /** Stores the mapping of a prefix to its cluster. Call it before creating a file with the prefix. */
  readonly keep: (cluster: ClusterName) => Effect.Effect<void, CostError>
  /** Returns the cluster of a prefix. **Shape** `undefined` if it was never stored. */
  readonly find: (name: string) => Effect.Effect<ClusterName | undefined, CostError>
}

/** Creates the mapping in a directory. A prefix is the cluster's name, or `@` and a digest if the name is too long. */
export const make = (directory: string, files: DurableFile.Writer): JournalNames => {
  const saved = new Set<ClusterName>()
  const fileOf = (name: string): string => join(directory, `${name}@name`)
  return {
    of: nameOf,
    keep: (cluster) =>
      Effect.suspend(() => {
        const name = nameOf(cluster)
        if (name === cluster || saved.has(cluster)) return Effect.void
        return Effect.map(files.replace("save the name of a cluster", fileOf(name), [cluster]), () => {
          saved.add(cluster)
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
