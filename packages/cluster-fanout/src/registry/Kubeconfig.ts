/**
 * Reads kubeconfig text into clusters, one for each context.
 */
import * as ClusterName from "@quarterdeck/targeting/ClusterName"
import { Result } from "effect"
import { delimiter } from "node:path"
import type { Connection } from "./Cluster.ts"
import type { RegistryProblem } from "./ClusterRegistry.ts"
import { connectionOf, type Refusal } from "./KubeconfigConnection.ts"
import { type Entry, type KubeconfigFile, parse, printName } from "./KubeconfigDocument.ts"
import * as MergedKubeconfig from "./MergedKubeconfig.ts"

export type { KubeconfigFile } from "./KubeconfigDocument.ts"

/** A usable context. **Shape** `context` is the name in the file, `name` the cluster name in answers. */
export interface KubeconfigCluster {
  readonly context: string
  readonly name: ClusterName.ClusterName
  readonly connection: Connection
}

/**
 * Content of the files. **Shape** clusters in the order of the files, with unique names. Problems contain no secret.
 */
export interface KubeconfigImport {
  readonly clusters: ReadonlyArray<KubeconfigCluster>
  /** The cluster name of the current context, if that context is usable. */
  readonly current?: ClusterName.ClusterName
  readonly problems: ReadonlyArray<RegistryProblem>
}

/**
 * Imports the texts of files.
 *
 * **Shape** as {@link fromSources}. A file that cannot be parsed is reported as one problem; the others load.
 * **Limits** reads no file.
 */
export const fromFiles = (
  files: ReadonlyArray<KubeconfigFile>,
  names: Readonly<Record<string, string>> = {}
): KubeconfigImport => {
  const parsed = files.map((file) => ({ path: file.path, document: parse(file) }))
  const invalid = parsed.flatMap(({ document, path }) =>
    Result.isSuccess(document) ? [] : [invalidFile(path, document.failure)]
  )
  const imported = fromSources(
    parsed.map(({ document, path }) => ({ path, ...(Result.isSuccess(document) && { document: document.success }) })),
    names
  )
  return { ...imported, problems: [...invalid, ...imported.problems] }
}

/** Makes the problem of a file that is not a kubeconfig. */
export const invalidFile = (path: string, message: string): RegistryProblem => ({
  severity: "error",
  code: "fileInvalid",
  source: path,
  message
})

/**
 * Makes clusters from the contexts of several files.
 *
 * **Shape** a cluster is named `names[context]`, else by `ClusterName.fromText` of its context. The first context with
 * a name keeps that name even while the context is unusable, so that a name never silently moves to another cluster.
 * Each rejected context is a problem, and so is each name set for a context that does not exist.
 *
 * **Source** Kubernetes, "Organizing cluster access using kubeconfig files"; {@link MergedKubeconfig} for the
 * differences.
 */
export const fromSources = (
  sources: ReadonlyArray<MergedKubeconfig.KubeconfigSource>,
  names: Readonly<Record<string, string>> = {}
): KubeconfigImport => {
  const problems: Array<RegistryProblem> = []
  for (const { document, path } of sources) {
    if (document?.hasMore !== true) continue
    const message = "holds several YAML documents; only the first is read, as kubectl does"
    problems.push({ severity: "warning", code: "documentsIgnored", source: path, message })
  }
  const contexts = MergedKubeconfig.contextsOf(sources)
  const clusters = new Map<ClusterName.ClusterName, KubeconfigCluster>()
  const contextByName = new Map<ClusterName.ClusterName, string>()
  for (const found of contexts.first.values()) {
    const source = sourceOf(found)
    const name = nameOf(found.name, names)
    if (Result.isFailure(name)) {
      problems.push({ severity: "error", source, ...name.failure })
      continue
    }
    const holder = contextByName.get(name.success)
    if (holder !== undefined) {
      const message = `cluster name ${name.success} is already taken by context ${printName(holder)}; set another name for one of them in clusters.names`
      problems.push({ severity: "error", code: "nameTaken", source, message })
      continue
    }
    contextByName.set(name.success, found.name)
    const connection = connect(sources, found)
    if (Result.isFailure(connection)) {
      problems.push({ severity: "error", source, ...connection.failure })
      continue
    }
    clusters.set(name.success, { context: found.name, name: name.success, connection: connection.success })
    if (connection.success.insecureSkipTlsVerify) {
      const message = "insecure-skip-tls-verify is set: the server's certificate is not checked"
      problems.push({ severity: "warning", code: "insecureSkipTlsVerify", source, message })
    }
  }
  for (const found of contexts.repeated) {
    const first = contexts.first.get(found.name)?.entry.file ?? "an earlier file"
    const message = `the context with the same name in ${first} takes precedence; rename one of them`
    problems.push({ severity: "error", code: "nameTaken", source: sourceOf(found), message })
  }
  problems.push(...MergedKubeconfig.differences(sources))
  for (const context of Object.keys(names)) {
    if (contexts.first.has(context)) continue
    const message = `there is no context ${printName(context)}; there are ${fewOf([...contexts.first.keys()])}`
    problems.push({ severity: "warning", code: "contextUnknown", source: "clusters.names", message })
  }
  const list = [...clusters.values()]
  const currentContext = sources.find(({ document }) => document?.currentContext !== undefined)?.document
    ?.currentContext
  const current = list.find((cluster) => cluster.context === currentContext)?.name
  return { clusters: list, ...(current !== undefined && { current }), problems }
}

const MAX_PRINTED = 10

const fewOf = (contexts: ReadonlyArray<string>): string => {
  if (contexts.length === 0) return "none"
  const printed = contexts.slice(0, MAX_PRINTED).map(printName)
  return contexts.length > MAX_PRINTED
    ? `${printed.join(", ")} and ${contexts.length - MAX_PRINTED} more`
    : printed.join(", ")
}

/** Splits a path list such as the value of `KUBECONFIG`. Drops blanks and duplicates. */
export const splitPathList = (text: string): ReadonlyArray<string> => [
  ...new Set(
    text
      .split(delimiter)
      .map((path) => path.trim())
      .filter((path) => path !== "")
  )
]

const sourceOf = ({ entry, name }: MergedKubeconfig.FoundContext): string => `${entry.file}, context ${printName(name)}`

const nameOf = (
  context: string,
  names: Readonly<Record<string, string>>
): Result.Result<ClusterName.ClusterName, Refusal> => {
  const wanted = Object.hasOwn(names, context) ? names[context] : undefined
  if (wanted !== undefined) {
    return ClusterName.is(wanted)
      ? Result.succeed(wanted)
      : nameInvalid(
          `the name ${printName(wanted)} in clusters.names is not a valid cluster name (${ClusterName.ALLOWED})`
        )
  }
  const name = ClusterName.fromText(context)
  return name === undefined
    ? nameInvalid(
        `the context's name cannot be turned into a cluster name (${ClusterName.ALLOWED}); set a name in clusters.names`
      )
    : Result.succeed(name)
}

const nameInvalid = (message: string) => Result.fail<Refusal>({ code: "nameInvalid", message })

/** Joins the cluster and the user of a context. */
const connect = (
  sources: ReadonlyArray<MergedKubeconfig.KubeconfigSource>,
  found: MergedKubeconfig.FoundContext
): Result.Result<Connection, Refusal> =>
  Result.gen(function* () {
    const { value: refs } = yield* readable("context", found.entry)
    const cluster = yield* find(sources, found, MergedKubeconfig.CLUSTERS, refs.cluster)
    const user =
      refs.user === undefined
        ? { file: found.entry.file, value: {} }
        : yield* find(sources, found, MergedKubeconfig.USERS, refs.user)
    return yield* connectionOf(cluster, user)
  })

const find = <A>(
  sources: ReadonlyArray<MergedKubeconfig.KubeconfigSource>,
  context: MergedKubeconfig.FoundContext,
  kind: MergedKubeconfig.EntryKind<A>,
  name: string
) => {
  const entry = MergedKubeconfig.find(sources, context, kind, name)
  return Result.isFailure(entry) ? incomplete(entry.failure) : readable(kind.noun, entry.success)
}

const readable = <A>(
  what: string,
  { file, value }: Entry<A>
): Result.Result<{ readonly file: string; readonly value: A }, Refusal> =>
  Result.isFailure(value) ? incomplete(`${what}: ${value.failure}`) : Result.succeed({ file, value: value.success })

const incomplete = (message: string) => Result.fail<Refusal>({ code: "contextIncomplete", message })
