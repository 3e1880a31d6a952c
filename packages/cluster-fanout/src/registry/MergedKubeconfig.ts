/**
 * Merges several kubeconfig files. Each context uses the cluster and the user of its own file.
 *
 * Tools give every cluster the same names (`kubernetes` and `kubernetes-admin` of kubeadm, `default` of k3s). kubectl
 * uses the first file's entry for all contexts, which would send one cluster's credential to another cluster.
 */
import { Result } from "effect"
import type { RegistryProblem } from "./ClusterRegistry.ts"
import { type ContextEntry, type Entry, type KubeconfigDocument, printName, resolvePath } from "./KubeconfigDocument.ts"

/** A file of the list. **Shape** without `document` if the file is unreadable and has never been read. */
export interface KubeconfigSource {
  readonly path: string
  readonly document?: KubeconfigDocument
}

/** A context and its file. */
export interface FoundContext {
  readonly name: string
  readonly entry: Entry<ContextEntry>
  readonly document: KubeconfigDocument
}

/** The contexts of all files. **Shape** `first` has each name once, in the order of the files. */
export interface Contexts {
  readonly first: ReadonlyMap<string, FoundContext>
  /** Contexts whose name occurs in an earlier file. */
  readonly repeated: ReadonlyArray<FoundContext>
}

export const contextsOf = (sources: ReadonlyArray<KubeconfigSource>): Contexts => {
  const first = new Map<string, FoundContext>()
  const repeated: Array<FoundContext> = []
  for (const { document } of sources) {
    if (document === undefined) continue
    for (const [name, entry] of document.contexts) {
      const found = { name, entry, document }
      if (first.has(name)) repeated.push(found)
      else first.set(name, found)
    }
  }
  return { first, repeated }
}

/** The entries of one kind in a file. */
export interface EntryKind<A> {
  readonly noun: "cluster" | "user"
  readonly of: (document: KubeconfigDocument) => ReadonlyMap<string, Entry<A>>
}

export const CLUSTERS = { noun: "cluster", of: ({ clusters }: KubeconfigDocument) => clusters } as const
export const USERS = { noun: "user", of: ({ users }: KubeconfigDocument) => users } as const

/**
 * Finds the entry that a context refers to: in its own file, else in the first file that has the name.
 *
 * **Errors** if no file has the name, or if an unreadable file before the found one might have it.
 */
export const find = <A>(
  sources: ReadonlyArray<KubeconfigSource>,
  { document: ownDocument }: FoundContext,
  kind: EntryKind<A>,
  name: string
): Result.Result<Entry<A>, string> => {
  const ownEntry = kind.of(ownDocument).get(name)
  if (ownEntry !== undefined) return Result.succeed(ownEntry)
  for (const { document, path } of sources) {
    if (document === undefined) {
      return Result.fail(
        `${kind.noun} ${printName(name)} is not in this file and may be in ${path}, which is unreadable`
      )
    }
    const entry = kind.of(document).get(name)
    if (entry !== undefined) return Result.succeed(entry)
  }
  return Result.fail(`${kind.noun} ${printName(name)} does not exist`)
}

const MAX_FILES_PRINTED = 10

/** Reports clusters and users that have the same name in several files but different content. */
export const differences = (sources: ReadonlyArray<KubeconfigSource>): ReadonlyArray<RegistryProblem> =>
  [CLUSTERS, USERS].flatMap((kind) => {
    const entries = sources.flatMap(({ document }): ReadonlyArray<readonly [string, Entry<unknown>]> =>
      document === undefined ? [] : [...kind.of(document)]
    )
    return [...Map.groupBy(entries, ([name]) => name)].flatMap(([name, alike]) => {
      const [first, ...others] = alike.map(([, entry]) => entry)
      if (first === undefined || others.length === 0) return []
      const content = contentOf(first)
      const differing = others.filter((other) => contentOf(other) !== content).map(({ file }) => file)
      if (differing.length === 0) return []
      const files = differing.slice(0, MAX_FILES_PRINTED).join(", ")
      const more = differing.length > MAX_FILES_PRINTED ? ` and ${differing.length - MAX_FILES_PRINTED} more files` : ""
      return [
        {
          severity: "warning" as const,
          code: "entryDiffers" as const,
          source: `${first.file}, ${kind.noun} ${printName(name)}`,
          message: `differs from the ${kind.noun} with the same name in ${files}${more}; each context uses the entry of its own file`
        }
      ]
    })
  })

const PATHS: ReadonlySet<string> = new Set(["certificate-authority", "client-certificate", "client-key", "tokenFile"])

/** Prints an entry for comparison. Resolves paths, because a relative path means another file in another folder. */
const contentOf = ({ file, value }: Entry<unknown>): string =>
  Result.match(value, {
    onFailure: (problem) => problem,
    onSuccess: (fields) =>
      JSON.stringify(fields, (key, field: unknown) =>
        PATHS.has(key) && typeof field === "string" ? resolvePath(file, field) : field
      )
  })
