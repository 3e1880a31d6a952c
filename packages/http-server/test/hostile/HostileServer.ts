/**
 * A server in a process of its own, and the processor time and memory that it takes for what it is sent.
 */
import { NodeServices } from "@effect/platform-node"
import { Embedded, eventually, Fleet } from "@quarterdeck/harness"
import { Context, Effect, FileSystem, Layer, Path } from "effect"
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { Agent, request } from "node:http"
import { delimiter } from "node:path"
import { serve } from "../cli/program.ts"

const ADMIN = "a key of the hostile suite, 0123456789"

/** Requests of one measurement: the clock of processor time has steps of 10 ms. */
const TIMES = 4
/** Measurements of a request that seems too expensive. */
const ROUNDS = 4

/** A request that is sent as it is. */
export interface Sent {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export class HostileServer extends Context.Service<
  HostileServer,
  {
    readonly url: string
    /** The API of the cluster. */
    readonly api: ClusterApi
    /** Processor time of the start, until the cluster was read. **Units** milliseconds. */
    readonly startMs: number
    /** Sends a request and returns the status. A connection that the server breaks counts as 0. */
    readonly send: (sent: Sent) => Effect.Effect<number>
    /** Processor time of the server while `work` runs. **Units** milliseconds, in steps of 10. */
    readonly processorMs: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<number, E, R>
    /**
     * Processor time of one request, as the mean of four. While the mean is above the bound it is measured again, three times at
     * most, and the lowest counts: collections of garbage and other programs pass, a quadratic reader stays. **Units** milliseconds.
     */
    readonly requestMs: (request: Effect.Effect<unknown>, boundMs: number) => Effect.Effect<number>
    /** Memory that the server holds now. **Units** bytes. */
    readonly residentBytes: Effect.Effect<number>
  }
>()("@quarterdeck/http-server/test/HostileServer") {
  /** Starts one embedded cluster and a server over it. */
  static readonly layer = (options: HostileOptions = {}) =>
    Layer.effect(HostileServer, make(options)).pipe(Layer.provide(NodeServices.layer))
}

interface HostileOptions {
  /** Runs before the server starts. */
  readonly prepare?: (api: ClusterApi) => Effect.Effect<unknown, unknown>
  /** Namespaces whose Secrets are read as clusters. */
  readonly argoSecrets?: ReadonlyArray<string>
  /** Texts of kubeconfig files behind the good one. */
  readonly kubeconfigs?: ReadonlyArray<string>
}

type ClusterApi = Fleet["Service"]["parent"]["api"]

const make = Effect.fnUntraced(function* ({ argoSecrets = [], kubeconfigs = [], prepare }: HostileOptions) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const fleet = yield* Fleet.make({ driver: Embedded.driver, parent: "hub" })
  yield* prepare?.(fleet.parent.api) ?? Effect.void
  const directory = yield* files.makeTempDirectoryScoped({ prefix: "quarterdeck-hostile-" })
  const at = (name: string) => path.join(directory, name)
  const hash = createHash("sha256").update(ADMIN).digest("hex")
  yield* files.writeFileString(at("kubeconfig"), fleet.kubeconfig)
  const further = kubeconfigs.map((_, index) => at(`kubeconfig-${index}`))
  yield* Effect.forEach(kubeconfigs, (text, index) => files.writeFileString(at(`kubeconfig-${index}`), text))
  yield* files.writeFileString(at("keys.yaml"), JSON.stringify([{ name: "admin", hash, rule: { role: "Admin" } }]))
  yield* files.writeFileString(
    at("settings.yaml"),
    JSON.stringify({
      server: { trustedProxies: ["127.0.0.0/8"] },
      clusters: { argoSecrets },
      // A limit would answer most of what the suite sends.
      limits: { keyPerSecond: 0, failedPerSecond: 0 }
    })
  )
  const { pid, url } = yield* serve([
    ...["--config", at("settings.yaml"), "--keys-file", at("keys.yaml")],
    ...["--kubeconfig", [at("kubeconfig"), ...further].join(delimiter)],
    ...["--data", at("data"), "--port", "0"]
  ])
  const agent = yield* Effect.acquireRelease(
    Effect.sync(() => new Agent({ keepAlive: true, maxSockets: 4 })),
    (agent) => Effect.sync(() => agent.destroy())
  )

  const send = ({ body, headers = {}, method = "GET", path }: Sent) =>
    Effect.callback<number>((resume) => {
      const asked = request(`${url}/`, { agent, method, path, headers: { ...headers } }, (response) => {
        response.resume()
        response.once("end", () => resume(Effect.succeed(response.statusCode ?? 0)))
        response.once("error", () => resume(Effect.succeed(0)))
      })
      asked.once("error", () => resume(Effect.succeed(0)))
      asked.end(body)
    })

  const basic = `Basic ${Buffer.from(`:${ADMIN}`).toString("base64")}`
  yield* eventually(
    "the server has read its cluster",
    send({ path: "/api/v1/workloads", headers: { authorization: basic } }),
    (status) => status === 200,
    { within: "60 seconds" }
  )
  const measured = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<number, E, R> =>
    Effect.gen(function* () {
      const before = processorMs(pid)
      yield* work
      return processorMs(pid) - before
    })
  return HostileServer.of({
    url,
    send,
    api: fleet.parent.api,
    startMs: processorMs(pid),
    processorMs: measured,
    requestMs: (request, boundMs) =>
      Effect.gen(function* () {
        let lowest = Number.POSITIVE_INFINITY
        for (let round = 0; round < ROUNDS && lowest > boundMs; round++) {
          const ms = yield* measured(Effect.replicateEffect(request, TIMES))
          lowest = Math.min(lowest, ms / TIMES)
        }
        return lowest
      }),
    residentBytes: Effect.sync(() => residentBytes(pid))
  })
})

/** The header of the key that the server knows. */
export const asAdmin = { authorization: `Basic ${Buffer.from(`:${ADMIN}`).toString("base64")}` } as const

/** **Source** proc(5): utime and stime are the 14th and 15th field of `stat`, in hundredths of a second. */
const processorMs = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}

const residentBytes = (pid: number): number => {
  const [, kibibytes] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? []
  return Number(kibibytes) * 1_024
}
