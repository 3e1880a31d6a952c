/**
 * The processes of a benchmark: the service, its peers and the load generators.
 */
import { eventually } from "@quarterdeck/harness"
import { Effect, FileSystem, Path, Schema } from "effect"
import { ChildProcess } from "effect/process"
import { createHash } from "node:crypto"
import { fileURLToPath } from "node:url"
import { decodeFigures, Figures } from "./Figures.ts"
import { decodeResult, type Plan } from "./Plan.ts"
import { decodeReading } from "./Reading.ts"
import { type Answer, record } from "./Recorded.ts"

const SERVICE = "servedQuarterdeck.ts"
const RAW = "rawServer.ts"
const LOAD = "httpLoad.ts"
const CLUSTERS = "fleetClusters.ts"
const INFORMERS = "informerPeer.ts"
const READERS = "streamReaders.ts"
/** The Node options of the image, and those that `quarterdeck serve` sets itself. */
const NODE_OPTIONS = ["--max-semi-space-size=16", "--v8-pool-size=1", "--no-allocation-site-pretenuring"]
/** A larger nursery for processes of many clusters, so that garbage collections are as rare as on separate machines. */
const CLUSTER_OPTIONS = ["--max-semi-space-size=64"]
const READY_WITHIN = "4 minutes"

const programPath = (name: string): string => fileURLToPath(new URL(`../${name}`, import.meta.url))

/** A program failed or gave an unexpected answer. */
export class ProgramFailed extends Schema.TaggedError<ProgramFailed>()("ProgramFailed", { problem: Schema.String }) {
  override get message(): string {
    return this.problem
  }
}

const promised = <A>(ask: () => Promise<A>): Effect.Effect<A, ProgramFailed> =>
  Effect.tryPromise({ try: ask, catch: (error) => new ProgramFailed({ problem: String(error) }) })

/** Options of a program. With `givesWay`, it has the lowest priority. */
interface Running {
  readonly nodeOptions?: ReadonlyArray<string>
  readonly givesWay?: boolean
}

/** The lowest autogroup priority. */
const LOWEST = "19"

/** Starts a program until the scope closes, and waits until it has written its ports. Discards its logs. */
const start = Effect.fnUntraced(function* <F>(
  program: string,
  args: ReadonlyArray<string>,
  facts: Schema.Decoder<F>,
  { givesWay = false, nodeOptions = [] }: Running = {}
) {
  const files = yield* FileSystem.FileSystem
  const directory = yield* temporary
  const ready = `${directory}/ready`
  const words = [
    "--conditions=@quarterdeck/source",
    "--expose-gc",
    ...nodeOptions,
    programPath(program),
    ...args,
    ready
  ]
  const silent = { stdout: "ignore", stderr: "ignore" } as const
  const child = yield* givesWay
    ? ChildProcess.make("nice", ["-n", LOWEST, process.execPath, ...words], silent)
    : ChildProcess.make(process.execPath, words, silent)
  if (givesWay) yield* giveWay(child.pid)
  yield* eventually(`${program} listens`, files.exists(ready), (exists) => exists, {
    within: READY_WITHIN,
    every: "10 millis"
  })
  const text = yield* files.readFileString(ready)
  const said = yield* Effect.mapError(
    Schema.decodeUnknownEffect(Schema.fromJsonString(facts))(text),
    () => new ProgramFailed({ problem: `${program}: ${text}` })
  )
  return { said, pid: child.pid }
})

/**
 * Sets the lowest priority for a program's session. Linux shares processors between sessions first, and applies the nice
 * value only within a session. Each program has its own session.
 *
 * **Source** sched(7), "The autogroup feature". Kernels without autogroups have no such file.
 */
const giveWay = Effect.fnUntraced(function* (pid: number) {
  const files = yield* FileSystem.FileSystem
  const group = `/proc/${pid}/autogroup`
  if (yield* files.exists(group)) yield* files.writeFileString(group, LOWEST)
})

/** Creates a directory and removes it when the scope closes. */
const temporary = Effect.flatMap(FileSystem.FileSystem, (files) =>
  files.makeTempDirectoryScoped({ prefix: "quarterdeck-bench-" })
)

/** An API key and its rule. */
export interface Key {
  readonly raw: string
  readonly rule: unknown
}

/** The running service. **Shape** `watched` starts to measure the longest turn. `collected` collects garbage first. */
export interface Service {
  readonly port: number
  readonly pid: number
  readonly figures: Effect.Effect<Figures, ProgramFailed>
  readonly watched: Effect.Effect<Figures, ProgramFailed>
  readonly collected: Effect.Effect<Figures, ProgramFailed>
}

/**
 * Starts the service on the clusters of a kubeconfig. `reads` is the setting `audit.reads`.
 *
 * **Units** `ofKey` and `ofAddress` are the limits of a key's requests and of an address's failed attempts, per second. By
 * default both are off.
 */
export const service = Effect.fnUntraced(function* (options: {
  readonly kubeconfig: string
  readonly keys: ReadonlyArray<Key>
  readonly reads?: "denied" | "all"
  readonly limits?: { readonly ofKey?: number; readonly ofAddress?: number }
}) {
  const { ofAddress = 0, ofKey = 0 } = options.limits ?? {}
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const directory = yield* temporary
  const place = (name: string) => path.join(directory, name)
  yield* files.writeFileString(place("kubeconfig"), options.kubeconfig, { mode: 0o600 })
  const entries = options.keys.map(({ raw, rule }, index) => ({
    name: `caller ${index}`,
    hash: createHash("sha256").update(raw, "utf8").digest("hex"),
    rule
  }))
  yield* files.writeFileString(place("keys"), JSON.stringify(entries), { mode: 0o600 })
  const { pid, said } = yield* start(
    SERVICE,
    [place("kubeconfig"), place("keys"), place("data"), options.reads ?? "denied", String(ofKey), String(ofAddress)],
    Schema.Struct({ port: Schema.Int, controlPort: Schema.Int }),
    { nodeOptions: NODE_OPTIONS }
  )
  const told = (path: string) =>
    promised(() => fetch(`http://127.0.0.1:${said.controlPort}${path}`).then((answer) => answer.text())).pipe(
      Effect.flatMap((text) =>
        Effect.mapError(decodeFigures(text), ({ message }) => new ProgramFailed({ problem: message }))
      )
    )
  const running: Service = {
    port: said.port,
    pid,
    figures: told("/"),
    watched: told("/watch"),
    collected: told("/collected")
  }
  return running
})

/** Waits until every cluster of a service has synced. */
export const untilReady = ({ port }: Service) =>
  eventually(
    "the service is ready",
    promised(() => fetch(`http://127.0.0.1:${port}/readyz`).then(({ status }) => status)),
    (status) => status === 200,
    { within: READY_WITHIN, every: "20 millis" }
  )

/** Records the answers to some requests. The first request of a limited caller may be within its limit, so it is repeated. */
export const recorded = ({ port }: Service, questions: Plan["questions"], status: number) =>
  Effect.forEach(questions, (question) =>
    Effect.retry(
      promised(() => record(port, question, status)),
      { times: 1 }
    )
  )

/** Starts a server that replies with these answers in turn, and returns its port. */
export const raw = Effect.fnUntraced(function* (answers: ReadonlyArray<Answer>) {
  const files = yield* FileSystem.FileSystem
  const file = `${yield* temporary}/answers`
  yield* files.writeFileString(file, JSON.stringify(answers))
  const { said } = yield* start(RAW, [file], Schema.Struct({ port: Schema.Int }))
  return said.port
})

/**
 * Starts a load generator and returns a function to run plans.
 *
 * **Errors** fails if an answer has another status than the plan's. A plan of refusals may have a few such answers,
 * because its limit admits one request per second.
 */
export const loader = Effect.gen(function* () {
  const { said } = yield* start(LOAD, [], Schema.Struct({ port: Schema.Int }))
  return Effect.fnUntraced(function* (plan: Plan) {
    const body = JSON.stringify(plan)
    const text = yield* promised(() =>
      fetch(`http://127.0.0.1:${said.port}/`, { method: "POST", body }).then((answer) => answer.text())
    )
    const result = yield* Effect.mapError(decodeResult(text), () => new ProgramFailed({ problem: text }))
    const { status = 200 } = plan
    const passing = status === 200 ? 0 : Math.ceil(plan.seconds) + 1
    return result.refused > passing
      ? yield* new ProgramFailed({ problem: `${result.refused} answers were not ${status}` })
      : result
  })
})

/** Starts a process of stream readers and returns a function to send it commands; see src/streamReaders.ts. */
export const streamReaders = Effect.gen(function* () {
  const { said } = yield* start(READERS, [], Schema.Struct({ port: Schema.Int }))
  return Effect.fnUntraced(function* (command: string, body: unknown) {
    const init = { method: "POST", body: JSON.stringify(body) }
    const text = yield* promised(() =>
      fetch(`http://127.0.0.1:${said.port}${command}`, init).then((answer) => answer.text())
    )
    return yield* Effect.mapError(decodeReading(text), () => new ProgramFailed({ problem: text }))
  })
})

/** Clusters in a separate process. **Shape** `command` sends a command; see src/fleetClusters.ts. */
export interface Clusters {
  readonly kubeconfig: string
  readonly command: (path: string) => Effect.Effect<string, ProgramFailed>
}

/**
 * Starts clusters with the contents of a filling. With `givesWay`, they yield processors to the service, as if they ran on
 * separate machines.
 */
export const clusters = Effect.fnUntraced(function* (filling: string, priority: Pick<Running, "givesWay"> = {}) {
  const { said } = yield* start(
    CLUSTERS,
    [filling],
    Schema.Struct({ controlPort: Schema.Int, kubeconfig: Schema.String }),
    { ...priority, nodeOptions: CLUSTER_OPTIONS }
  )
  const running: Clusters = {
    kubeconfig: said.kubeconfig,
    command: (path) =>
      promised(() => fetch(`http://127.0.0.1:${said.controlPort}${path}`).then((answer) => answer.text()))
  }
  return running
})

const Synced = Schema.Struct({ before: Figures, synced: Figures, collected: Figures })

/** Syncs informers of the official client in a separate process, until they have the given number of objects. */
export const informed = Effect.fnUntraced(function* (kubeconfig: string, kinds: string, total: number) {
  const files = yield* FileSystem.FileSystem
  const file = `${yield* temporary}/kubeconfig`
  yield* files.writeFileString(file, kubeconfig, { mode: 0o600 })
  const { said } = yield* start(INFORMERS, [file, String(total), kinds], Schema.Struct({ port: Schema.Int }))
  const text = yield* promised(() => fetch(`http://127.0.0.1:${said.port}/sync`).then((answer) => answer.text()))
  return yield* Effect.mapError(
    Schema.decodeUnknownEffect(Schema.fromJsonString(Synced))(text),
    () => new ProgramFailed({ problem: text })
  )
}, Effect.scoped)
