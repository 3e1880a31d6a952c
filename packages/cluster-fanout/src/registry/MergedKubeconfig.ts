/**
 * Several kubeconfig files as one: each context uses the cluster and the user of its own file.
 *
 * Tools give every cluster the same names (`kubernetes` and `kubernetes-admin` of kubeadm, `default` of k3s). kubectl
 * takes the first file's entry for all contexts, which sends one cluster's credential to another cluster.
 */
import { Result } from "effect"
import type { RegistryProblem } from "./ClusterRegistry.ts"
import { type ContextEntry, type Entry, type KubeconfigDocument, printName, resolvePath } from "./KubeconfigDocument.ts"

/** A file of the list. **Shape** without `document` for a file that cannot be read and never could. */
export interface KubeconfigSource {
  readonly path: string
  readonly document?: KubeconfigDocument
}

/** A context and the file that holds it. */
export interface FoundContext {
  readonly name: string
  readonly entry: Entry<ContextEntry>
  readonly document: KubeconfigDocument
}

/** The contexts of all files. **Shape** `first` has each name once, in the order of the files. */
export interface Contexts {
  readonly first: ReadonlyMap<string, FoundContext>
  /** Contexts whose name an earlier file has. */
  readonly repeated: ReadonlyArray<FoundContext>
}

/** Collects the contexts of all files. */
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
 * Finds the entry that a context refers to: that of its own file, else that of the first file that has the name.
 *
 * **Errors** a name that no file has. A name that may stand in an unreadable file before the one found.
 */
export const find = <A>(
  sources: ReadonlyArray<KubeconfigSource>,
  { document: own }: FoundContext,
  kind: EntryKind<A>,
  name: string
): Result.Result<Entry<A>, string> => {
  const ownEntry = kind.of(own).get(name)
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

/** Reports clusters and users that several files name alike and describe differently. */
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
          message: `differs from the ${kind.noun} of this name in ${files}${more}; each context uses the entry of its own file`
        }
      ]
    })
  })

const PATHS: ReadonlySet<string> = new Set(["certificate-authority", "client-certificate", "client-key", "tokenFile"])

/** Prints an entry to compare it. A relative path means another file in another folder. */
const contentOf = ({ file, value }: Entry<unknown>): string =>
  Result.match(value, {
    onFailure: (problem) => problem,
    onSuccess: (fields) =>
      JSON.stringify(fields, (key, field: unknown) =>
        PATHS.has(key) && typeof field === "string" ? resolvePath(file, field) : field
      )
  })
