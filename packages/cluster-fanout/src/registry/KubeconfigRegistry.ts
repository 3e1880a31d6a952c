/**
 * Registers the clusters of kubeconfig files and follows changes of the files.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { ByteSize, Context, Effect, FileSystem, Layer, Path, type PlatformError, Result, Schedule } from "effect"
import type { Cluster, Connection } from "./Cluster.ts"
import {
  ClusterRegistry,
  ParentNotFound,
  RegistryError,
  type RegistryProblem,
  type RegistrySnapshot
} from "./ClusterRegistry.ts"
import { generationOf } from "./ConnectionDigest.ts"
import * as registryFeed from "./RegistryFeed.ts"
import { fromSources, invalidFile, type KubeconfigImport } from "./Kubeconfig.ts"
import { decodeBytes, type KubeconfigDocument, parse, printName } from "./KubeconfigDocument.ts"
import * as EnvironmentProxy from "./EnvironmentProxy.ts"
import * as ProxyUrl from "./ProxyUrl.ts"
import type * as MergedKubeconfig from "./MergedKubeconfig.ts"
import { inOrder } from "./RegistrySnapshot.ts"

export interface KubeconfigRegistryOptions {
  /** Paths in order of precedence. Relative paths start at the working directory. */
  readonly files: ReadonlyArray<string>
  /** Cluster names by context, for contexts whose own name should not be used. */
  readonly names?: Readonly<Record<string, string>>
  /** Name of the parent. Defaults to `own`, else to the cluster of the current context. */
  readonly parent?: ClusterName
  /** A cluster from another source that precedes all contexts, such as the pod's own (`InCluster.cluster`). */
  readonly own?: Cluster
  /** Environment variables with the proxies of clusters without `proxy-url`. Default: none. */
  readonly variables?: EnvironmentProxy.Variables
}

/** Interval at which the files are read. A change takes effect when two readings agree: after at most two intervals. */
export const ReadInterval = Context.Reference("@quarterdeck/cluster-fanout/registry/KubeconfigRegistry/ReadInterval", {
  defaultValue: () => "1 second" as const
})

const MAX_FILE_BYTES = 16 * 1024 * 1024
const MAX_REPORTED = 3

/**
 * Provides a registry of every context in the files.
 *
 * **Shape** clusters follow the contexts of the files. A file that becomes invalid or disappears keeps its last valid
 * content, with a problem. The parent is fixed at the start: a change that would remove it is rejected as a whole.
 *
 * **Errors** `RegistryError` with reason `ParentNotFound`. **Limits** reads the files every second (`ReadInterval`)
 * instead of watching them, so that atomic replacement, symlink swaps and network mounts work alike; 16 MiB a file.
 */
export const layer = (options: KubeconfigRegistryOptions) =>
  Layer.effect(
    ClusterRegistry,
    Effect.gen(function* () {
      const path = yield* Path.Path
      const paths = [...new Set(options.files.map((file) => path.resolve(file)))]
      const readAll = Effect.forEach(paths, (file) => read(file, paths.length > 1))
      const first = yield* readAll
      const start = importReadings(first, new Map(), options.names)
      const parent = options.parent ?? options.own?.name ?? start.current
      const viewed = (imported: KubeconfigImport) => viewOf(imported, parent, options)
      const view = viewed(start)
      if (parent === undefined || !hasParent(view)) {
        return yield* new RegistryError({ reason: parentNotFound(options.parent, view) })
      }
      const { publish, registry } = yield* registryFeed.make({ parent, ...view })

      let applied = first
      let previous = first
      let good = start.good
      const poll = Effect.gen(function* () {
        const readings = yield* readAll
        const settled = same(readings, previous)
        previous = readings
        if (!settled || same(readings, applied)) return
        applied = readings
        const next = importReadings(readings, good, options.names)
        const nextView = viewed(next)
        if (hasParent(nextView)) {
          good = next.good
          return yield* publish({ parent, ...nextView })
        }
        const current = yield* registry.snapshot
        return yield* publish({ ...current, problems: [...nextView.problems, parentMissing(parent)] })
      })
      const interval = yield* ReadInterval
      yield* poll.pipe(Effect.repeat(Schedule.spaced(interval)), Effect.delay(interval), Effect.forkScoped)
      return registry
    })
  )

/** Result of reading a file once. */
interface Reading {
  readonly path: string
  readonly text: Result.Result<string, RegistryProblem>
}

const read = Effect.fnUntraced(function* (
  path: string,
  isOneOfSeveral: boolean
): Effect.fn.Return<Reading, never, FileSystem.FileSystem> {
  const files = yield* FileSystem.FileSystem
  const bytes = yield* Effect.gen(function* () {
    const { size } = yield* files.stat(path)
    return ByteSize.toBigInt(size) > MAX_FILE_BYTES ? undefined : yield* files.readFile(path)
  }).pipe(Effect.result)
  if (Result.isFailure(bytes)) return { path, text: Result.fail(unreadable(path, bytes.failure, isOneOfSeveral)) }
  const text = bytes.success === undefined ? Result.fail("is larger than 16 MiB") : decodeBytes(bytes.success)
  return { path, text: Result.mapError(text, (message) => invalidFile(path, message)) }
})

/** Describes an unreadable file. A missing file of several is only a warning, because kubectl ignores it. */
const unreadable = (path: string, error: PlatformError.PlatformError, isOneOfSeveral: boolean): RegistryProblem => {
  const missing = error.reason._tag === "NotFound"
  return {
    severity: missing && isOneOfSeveral ? "warning" : "error",
    code: "fileUnreadable",
    source: path,
    message: missing ? "does not exist" : `cannot be read (${error.reason._tag})`
  }
}

const same = (a: ReadonlyArray<Reading>, b: ReadonlyArray<Reading>): boolean =>
  a.every((reading, index) => content(reading) === content(b[index]))

const content = (reading: Reading | undefined): string | undefined =>
  reading
  && Result.match(reading.text, {
    onSuccess: (text) => `read ${text}`,
    onFailure: (problem) => `not read ${problem.message}`
  })

interface Imported extends KubeconfigImport {
  /** The last valid content of each file. */
  readonly good: ReadonlyMap<string, KubeconfigDocument>
}

const importReadings = (
  readings: ReadonlyArray<Reading>,
  good: ReadonlyMap<string, KubeconfigDocument>,
  names: Readonly<Record<string, string>> | undefined
): Imported => {
  const broken: Array<RegistryProblem> = []
  const nextGood = new Map<string, KubeconfigDocument>()
  const sources: Array<MergedKubeconfig.KubeconfigSource> = []
  for (const { path, text } of readings) {
    const parsed = Result.flatMap(text, (written) =>
      Result.mapError(parse({ path, text: written }), (message) => invalidFile(path, message))
    )
    if (Result.isFailure(parsed)) broken.push(parsed.failure)
    const document = Result.isSuccess(parsed) ? parsed.success : good.get(path)
    if (document !== undefined) {
      nextGood.set(path, document)
      sources.push({ path, document })
    } else if (Result.isFailure(parsed) && parsed.failure.severity === "error") {
      sources.push({ path })
    }
  }
  const imported = fromSources(sources, names)
  // If a file is unreadable, a missing context may be in it, so missing contexts are not reported. A missing file of
  // several does not count as unreadable.
  const isWhole = broken.every(({ severity }) => severity === "warning")
  return {
    ...imported,
    problems: [...broken, ...imported.problems.filter(({ code }) => isWhole || code !== "contextUnknown")],
    good: nextGood
  }
}

type View = Pick<RegistrySnapshot, "clusters" | "problems">

const viewOf = (
  imported: KubeconfigImport,
  parent: ClusterName | undefined,
  { own, variables = {} }: Pick<KubeconfigRegistryOptions, "own" | "variables">
): View => {
  const role = (name: ClusterName) => (name === parent ? "parent" : "child")
  const clusters: Array<Cluster> = own === undefined ? [] : [{ ...own, role: role(own.name) }]
  const problems = [...imported.problems]
  for (const { connection: written, context, name } of imported.clusters) {
    const source = `context ${printName(context)}`
    if (name === own?.name) {
      const message = `cluster name ${name} is already taken by the pod's own cluster`
      problems.push({ severity: "error", code: "nameTaken", source, message })
      continue
    }
    const withProxy = throughEnvironment(written, variables)
    if (Result.isFailure(withProxy)) {
      const { code, problem } = withProxy.failure
      problems.push({ severity: "error", code, source, message: `the proxy set in the environment ${problem}` })
      continue
    }
    const connection = withProxy.success
    const generation = generationOf(connection)
    clusters.push({ name, role: role(name), labels: {}, origin: "kubeconfig", connection, generation })
  }
  return { clusters: inOrder(clusters), problems }
}

/** Adds the proxy of the environment if the cluster has no `proxy-url`, as kubectl does. */
const throughEnvironment = (
  connection: Connection,
  variables: EnvironmentProxy.Variables
): Result.Result<Connection, ProxyUrl.Fault> => {
  const found = connection.proxyUrl === undefined ? EnvironmentProxy.find(connection.server, variables) : undefined
  if (found === undefined) return Result.succeed(connection)
  return Result.map(ProxyUrl.parse(found), (proxyUrl) => ({ ...connection, proxyUrl }))
}

const hasParent = (view: View): boolean => view.clusters.some((cluster) => cluster.role === "parent")

const parentNotFound = (asked: ClusterName | undefined, { clusters, problems }: View): ParentNotFound =>
  new ParentNotFound({
    ...(asked !== undefined && { asked }),
    known: clusters.map((cluster) => cluster.name),
    problems: firstMessages(problems, "error"),
    warnings: firstMessages(problems, "warning")
  })

const firstMessages = (
  problems: ReadonlyArray<RegistryProblem>,
  severity: RegistryProblem["severity"]
): Array<string> =>
  problems
    .filter((problem) => problem.severity === severity)
    .slice(0, MAX_REPORTED)
    .map(({ message, source }) => `${source}: ${message}`)

const parentMissing = (parent: ClusterName): RegistryProblem => ({
  severity: "error",
  code: "parentMissing",
  source: "kubeconfig",
  message: `the parent ${parent} is missing from the changed files; the registered clusters stay unchanged`
})
