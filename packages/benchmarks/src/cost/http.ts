/**
 * The same report through the whole service: over HTTP, with a key that reaches some namespaces.
 */
import type { CostReport, WorkloadsQuery } from "@quarterdeck/cost/CostReport"
import { WorkloadCosts } from "@quarterdeck/cost/CostRow"
import { Embedded, eventually, Fleet } from "@quarterdeck/harness"
import * as Listener from "@quarterdeck/http-server/Listener"
import { Quarterdeck } from "@quarterdeck/http-server/Quarterdeck"
import { anyOf } from "@quarterdeck/targeting/NamespaceFilter"
import { Console, Context, Effect, FileSystem, Layer, Path, Schema } from "effect"
import { createHash } from "node:crypto"
import { Agent, request } from "node:http"
import { isDeepStrictEqual } from "node:util"
import type { Claim } from "../Claim.ts"
import { timed } from "../Measure.ts"
import * as History from "./history.ts"
import type { Fleet as Filling } from "./service.ts"

const CALLS = 200
const WARM = 40
const RAW_KEY = "benchmark-viewer-0123456789"
/** Half of the namespaces. */
const REACHED = Array.from({ length: Math.ceil(History.NAMESPACES / 2) }, (_, place) => History.namespaceName(place))

const decode = Schema.decodeEffect(Schema.fromJsonString(WorkloadCosts))

/** A reply that is no report. */
class Refused extends Schema.TaggedError<Refused>()("Refused", { status: Schema.Number, text: Schema.String }) {
  override get message(): string {
    return `${this.status} ${this.text.slice(0, 500)}`
  }
}

/** The figure below which so large a part of all lies. */
const percentile = (figures: ReadonlyArray<number>, share: number): number =>
  figures.toSorted((a, b) => a - b)[Math.ceil(figures.length * share) - 1] ?? Number.NaN

export interface Filled {
  readonly directory: string
  readonly history: Filling
  readonly asked: WorkloadsQuery
  readonly report: CostReport["Service"]
}

export const overHttp = Effect.fnUntraced(function* ({ asked, directory, history, report }: Filled) {
  yield* Console.error(`the service over ${history.names.length} clusters, ${CALLS} calls`)
  const url = yield* start(directory, history)
  const { from = "", to = "" } = asked.range
  const call = send(`${url}/detailedCostReport/getWorkloads?${new URLSearchParams({ from, to }).toString()}`)
  const inProcess = report.getWorkloads({ ...asked, namespaces: anyOf([{ namespaceNames: REACHED }]) })

  const reply = yield* Effect.flatMap(succeeded(call), decode)
  const expected = yield* inProcess
  const isSame = isDeepStrictEqual(reply.aggregatedWorkloads, expected.aggregatedWorkloads)
  if (!isSame) return yield* new Refused({ status: 200, text: "the reply has other rows than the report in process" })
  for (let warm = 0; warm < WARM; warm++) yield* succeeded(call)
  const ours: Array<number> = []
  const peer: Array<number> = []
  for (let turn = 0; turn < CALLS; turn++) {
    ours.push((yield* timed(succeeded(call)))[0])
    peer.push((yield* timed(inProcess))[0])
  }
  const claim: Claim = {
    claim: `the same over HTTP, first page of ${asked.page.limit}, key of ${REACHED.length} namespaces, p99`,
    ours: { value: percentile(ours, 0.99), unit: "ms" },
    peer: { name: "in process, p99", value: percentile(peer, 0.99), unit: "ms" },
    goal: { _tag: "absolute", atMost: 30 },
    note: `${CALLS} calls; medians ${percentile(ours, 0.5).toFixed(1)} and ${percentile(peer, 0.5).toFixed(1)} ms; the client shares the processor`
  }
  return claim
}, Effect.scoped)

/** Starts the whole service on a directory that has a history, in front of clusters with its names. */
const start = Effect.fnUntraced(function* (directory: string, { names }: Filling) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const [parent = "", ...children] = names
  const fleet = yield* Fleet.make({ driver: Embedded.driver, parent, children })
  const kubeconfig = path.join(directory, "kubeconfig.yaml")
  const keys = path.join(directory, "keys.yaml")
  yield* files.writeFileString(kubeconfig, fleet.kubeconfig, { mode: 0o600 })
  const hash = createHash("sha256").update(RAW_KEY, "utf8").digest("hex")
  const rule = { role: "Viewer", targetNamespaces: [{ namespaceNames: REACHED }] }
  yield* files.writeFileString(keys, JSON.stringify([{ name: "viewer", hash, rule }]))
  const services = yield* Layer.build(
    Quarterdeck.layer({
      clusters: { kubeconfig: [kubeconfig] },
      keys: { file: keys },
      cost: { usage: "requests" },
      dataDirectory: directory
    })
  )
  const { nodeHandler } = Context.get(services, Quarterdeck)
  const { url } = yield* Listener.listen(nodeHandler, { host: "127.0.0.1", port: 0, shutdownMs: 1_000 })
  yield* eventually(
    "the service is ready",
    Effect.promise(() => fetch(`${url}/readyz`)),
    ({ status }) => status === 200
  )
  return url
})

interface Reply {
  readonly status: number
  readonly text: string
}

const succeeded = <E>(reply: Effect.Effect<Reply, E>): Effect.Effect<string, E | Refused> =>
  Effect.flatMap(reply, ({ status, text }) =>
    status === 200 ? Effect.succeed(text) : Effect.fail(new Refused({ status, text }))
  )

const agent = new Agent({ keepAlive: true })

/** Posts over a connection that is kept, as a client does that asks often. */
const send = (url: string): Effect.Effect<Reply, Error> =>
  Effect.callback<Reply, Error>((resume) => {
    const headers = { authorization: `Bearer ${RAW_KEY}`, "content-type": "application/json", "x-service-cluster": "*" }
    const outgoing = request(url, { method: "POST", agent, headers }, (incoming) => {
      const chunks: Array<Buffer> = []
      incoming.on("data", (chunk: Buffer) => chunks.push(chunk))
      incoming.on("error", (error) => resume(Effect.fail(error)))
      incoming.on("end", () =>
        resume(Effect.succeed({ status: incoming.statusCode ?? 0, text: Buffer.concat(chunks).toString("utf8") }))
      )
    })
    outgoing.on("error", (error) => resume(Effect.fail(error)))
    outgoing.end("{}")
    return Effect.sync(() => outgoing.destroy())
  })
