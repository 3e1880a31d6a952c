/**
 * Reads kubeconfig text into clusters: every context is one.
 */
import * as ClusterName from "@quarterdeck/targeting/ClusterName"
import { Result } from "effect"
import { delimiter } from "node:path"
import type { Connection } from "./Cluster.ts"
import type { RegistryProblem } from "./ClusterRegistry.ts"
import { connectionOf, type Refusal } from "./KubeconfigConnection.ts"
import {
  type ContextEntry,
  type Entry,
  type KubeconfigDocument,
  type KubeconfigFile,
  merge,
  parse
} from "./KubeconfigDocument.ts"

export type { KubeconfigFile } from "./KubeconfigDocument.ts"

/** A context that can be used. **Shape** `context` as the file spells it, `name` as answers do. */
export interface KubeconfigCluster {
  readonly context: string
  readonly name: ClusterName.ClusterName
  readonly connection: Connection
}

/** What the files hold. **Shape** clusters in the order of the files, no name twice; problems hold no secret. */
export interface KubeconfigImport {
  readonly clusters: ReadonlyArray<KubeconfigCluster>
  /** The name of the current context's cluster, if there is one and it can be used. */
  readonly current?: ClusterName.ClusterName
  readonly problems: ReadonlyArray<RegistryProblem>
}

/**
 * Imports files, merged as kubectl merges them: of entries with one name the first file's counts.
 *
 * **Shape** a cluster is named `names[context]`, else by `ClusterName.fromText` of its context; when two contexts come
 * to one name the first counts. A file that does not parse is one problem, a context that cannot be used another, and one that is
 * named and not there a third; the rest loads. **Limits** reads no file.
 *
 * **Source** Kubernetes, "Organizing cluster access using kubeconfig files".
 */
export const fromFiles = (
  files: ReadonlyArray<KubeconfigFile>,
  names: Readonly<Record<string, string>> = {}
): KubeconfigImport => {
  const problems: Array<RegistryProblem> = []
  const documents: Array<KubeconfigDocument> = []
  for (const file of files) {
    const document = parse(file)
    if (Result.isSuccess(document)) documents.push(document.success)
    else problems.push({ severity: "error", code: "fileInvalid", source: file.path, message: document.failure })
  }
  const document = merge(documents)
  const clusters = new Map<ClusterName.ClusterName, KubeconfigCluster>()
  for (const [context, entry] of document.contexts) {
    const source = sourceOf(entry.file, context)
    const read = clusterOf(document, context, entry, names)
    if (Result.isFailure(read)) {
      problems.push({ severity: "error", source, ...read.failure })
      continue
    }
    const cluster = read.success
    const taken = clusters.get(cluster.name)
    if (taken !== undefined) {
      const message = `cluster name ${cluster.name} is already taken by context ${JSON.stringify(taken.context)}`
      problems.push({ severity: "error", code: "nameTaken", source, message })
      continue
    }
    clusters.set(cluster.name, cluster)
    if (cluster.connection.insecureSkipTlsVerify) {
      const message = "insecure-skip-tls-verify is set: the server's certificate is not checked"
      problems.push({ severity: "warning", code: "insecureSkipTlsVerify", source, message })
    }
  }
  for (const context of Object.keys(names)) {
    if (document.contexts.has(context)) continue
    const message = `there is no context ${JSON.stringify(context)}; there are ${fewOf([...document.contexts.keys()])}`
    problems.push({ severity: "warning", code: "contextUnknown", source: "the names of contexts", message })
  }
  const list = [...clusters.values()]
  const current = list.find((cluster) => cluster.context === document.currentContext)?.name
  return { clusters: list, ...(current !== undefined && { current }), problems }
}

const FEW = 10

const fewOf = (contexts: ReadonlyArray<string>): string => {
  if (contexts.length === 0) return "none"
  const few = contexts.slice(0, FEW).map((name) => JSON.stringify(name))
  return contexts.length > FEW ? `${few.join(", ")} and ${contexts.length - FEW} more` : few.join(", ")
}

/**
 * Splits a path list such as the value of `KUBECONFIG`, dropping blanks and repetitions.
 */
export const splitPathList = (text: string): ReadonlyArray<string> => [
  ...new Set(
    text
      .split(delimiter)
      .map((path) => path.trim())
      .filter((path) => path !== "")
  )
]

const sourceOf = (file: string, context: string): string => `${file}, context ${JSON.stringify(context)}`

const clusterOf = (
  document: KubeconfigDocument,
  context: string,
  entry: Entry<ContextEntry>,
  names: Readonly<Record<string, string>>
): Result.Result<KubeconfigCluster, Refusal> =>
  Result.gen(function* () {
    const wanted = Object.hasOwn(names, context) ? names[context] : undefined
    const name = wanted === undefined ? ClusterName.fromText(context) : asName(wanted)
    if (name === undefined) {
      const text = JSON.stringify(wanted ?? context)
      return yield* Result.fail<Refusal>({ code: "nameInvalid", message: `${text} does not make a cluster name` })
    }
    const refs = yield* readable("context", entry)
    const cluster = yield* find("cluster", document.clusters, refs.value.cluster)
    const user =
      refs.value.user === undefined
        ? { file: entry.file, value: {} }
        : yield* find("user", document.users, refs.value.user)
    return { context, name, connection: yield* connectionOf(cluster, user) }
  })

const asName = (text: string): ClusterName.ClusterName | undefined => (ClusterName.is(text) ? text : undefined)

const find = <A>(what: string, entries: ReadonlyMap<string, Entry<A>>, name: string) => {
  const entry = entries.get(name)
  return entry === undefined ? incomplete(`${what} ${JSON.stringify(name)} does not exist`) : readable(what, entry)
}

const readable = <A>(what: string, { file, value }: Entry<A>): Result.Result<{ file: string; value: A }, Refusal> =>
  Result.isFailure(value) ? incomplete(`${what}: ${value.failure}`) : Result.succeed({ file, value: value.success })

const incomplete = (message: string): Result.Result<never, Refusal> =>
  Result.fail({ code: "contextIncomplete", message })
