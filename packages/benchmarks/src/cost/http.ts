/**
 * Cost reports through the whole service: over HTTP, with a key scoped to some namespaces.
 */
import { SamplerSettings } from "@quarterdeck/cost"
import { WorkloadCosts } from "@quarterdeck/cost/CostRow"
import { Embedded, eventually, Fleet, Seed } from "@quarterdeck/harness"
import * as Listener from "@quarterdeck/http-server/Listener"
import { Quarterdeck } from "@quarterdeck/http-server/Quarterdeck"
import { anyOf } from "@quarterdeck/targeting/NamespaceFilter"
import { Console, Context, Effect, FileSystem, Layer, Path, Schema } from "effect"
import { createHash } from "node:crypto"
import { Agent, request } from "node:http"
import type { Claim } from "../claim/Claim.ts"
import * as Difference from "../claim/Difference.ts"
import { percentile, timed } from "../claim/Measure.ts"
import type { Extent } from "../claim/Suite.ts"
import * as Expected from "./expected.ts"
import * as History from "./history.ts"
import * as ReportedHistory from "./reportedHistory.ts"
import * as Service from "./service.ts"

const CALLS = 200
const QUICK_CALLS = 50
const WARM = 40
/** One in so many replies is compared. */
const COMPARED = 20
const RAW_KEY = "benchmark-viewer-0123456789"
/** The namespaces in the key's scope: half of those in the cost history. */
const HALF = Array.from({ length: Math.ceil(History.NAMESPACES / 2) }, (_, place) => History.namespaceName(place))
const BILLION = 1e9

const decode = Schema.decodeEffect(Schema.fromJsonString(WorkloadCosts))

/** A reply other than a report. */
class Refused extends Schema.TaggedError<Refused>()("Refused", { status: Schema.Number, text: Schema.String }) {
  override get message(): string {
    return `${this.status} ${this.text.slice(0, 500)}`
  }
}

/**
 * Starts the service without closing hours. A closing would replace the recommendations of this history, because no recorded
 * usage supports them.
 */
const closingNothing = Layer.effect(
  SamplerSettings.SamplerSettings,
  Effect.map(SamplerSettings.SamplerSettings, (usual) => ({ ...usual, graceSeconds: 24 * 3_600 }))
)

export const overHttp = Effect.fnUntraced(function* (filled: ReportedHistory.ReportedHistory, { quick }: Extent) {
  const calls = quick ? QUICK_CALLS : CALLS
  const { history, limit, named, report, shortHours } = filled
  yield* Console.error(`the service over ${history.names.length} clusters, ${calls} calls`)
  const { pods, url } = yield* start(filled)
  const window = (turn: number) => ReportedHistory.windowOf(filled, shortHours, turn)
  const call = (turn: number) =>
    succeeded(send(`${url}/detailedCostReport/getWorkloads?from=${window(turn).fromMs}&limit=${limit}`))
  const inProcess = (turn: number) =>
    Effect.flatMap(Service.question(history.names, window(turn).fromMs, limit), (query) =>
      report.getWorkloads({ ...query, namespaces: anyOf([{ namespaceNames: HALF }]) })
    )
  // The open hour comes from the service's own clusters, not from the history.
  const expected = (turn: number) => {
    const { closed } = ReportedHistory.scan(filled, window(turn))
    return Expected.workloads({ closed, all: closed }, named, {
      limit,
      isChosen: ({ namespace }) => HALF.includes(namespace)
    })
  }

  let difference = 0
  const ours: Array<number> = []
  const peer: Array<number> = []
  for (let turn = 0; turn < WARM + calls; turn++) {
    const [ms, text] = yield* timed(call(turn))
    const [inProcessMs] = yield* timed(inProcess(turn))
    if (turn % COMPARED === 0) {
      const { aggregatedWorkloads } = yield* decode(text)
      difference = Math.max(difference, Difference.between(aggregatedWorkloads, expected(turn).rows))
    }
    if (turn < WARM) continue
    ours.push(ms)
    peer.push(inProcessMs)
  }
  return [
    {
      claim: `the first page over HTTP, ${limit} rows, key of ${HALF.length} namespaces of the history, p99`,
      ours: { value: percentile(ours, 0.99), unit: "ms" },
      peer: { name: "in process, p99", value: percentile(peer, 0.99), unit: "ms" },
      goal: { _tag: "absolute", atMost: 30 },
      note: `${calls} calls, each with a window of its own, while the service samples ${pods} pods; medians ${percentile(ours, 0.5).toFixed(1)} and ${percentile(peer, 0.5).toFixed(1)} ms; the client and the clusters share the processor`
    },
    {
      claim: "rows over HTTP agree with the same peer, parts of a billion",
      ours: { value: difference * BILLION, unit: "count" },
      goal: { _tag: "absolute", atMost: 1 },
      note: `one reply in ${COMPARED}`
    }
  ] satisfies ReadonlyArray<Claim>
}, Effect.scoped)

/**
 * Starts the whole service on the directory of a history. Its clusters have the names in the history, and about as many pods
 * as the history has workloads.
 */
const start = Effect.fnUntraced(function* ({
  directory,
  endMs,
  history: { each, names }
}: ReportedHistory.ReportedHistory) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const [parent = "", ...children] = names
  const fleet = yield* Fleet.make({ driver: Embedded.driver, parent, children })
  const plans = yield* Seed.fill(fleet, { size: { pods: each } })
  const seeded = [...new Set(plans.flatMap(({ workloads }) => workloads.map(({ namespace }) => namespace)))]
  const kubeconfig = path.join(directory, "kubeconfig.yaml")
  const keys = path.join(directory, "keys.yaml")
  yield* files.writeFileString(kubeconfig, fleet.kubeconfig, { mode: 0o600 })
  const hash = createHash("sha256").update(RAW_KEY, "utf8").digest("hex")
  const rule = { role: "Viewer", targetNamespaces: [{ namespaceNames: [...HALF, ...seeded] }] }
  yield* files.writeFileString(keys, JSON.stringify([{ name: "viewer", hash, rule }]))
  const services = yield* Layer.build(
    Quarterdeck.layer({
      clusters: { kubeconfig: [kubeconfig] },
      keys: { file: keys },
      cost: { usage: "requests" },
      limits: { keyPerSecond: 0 },
      dataDirectory: directory
    }).pipe(Layer.provide(closingNothing))
  )
  const { nodeHandler } = Context.get(services, Quarterdeck)
  const { url } = yield* Listener.listen(nodeHandler, { host: "127.0.0.1", port: 0, shutdownMs: 1_000 })
  yield* eventually(
    "the service is ready",
    Effect.promise(() => fetch(`${url}/readyz`)),
    ({ status }) => status === 200,
    { within: "2 minutes" }
  )
  // Wait until the service charges running pods, so that reports include an open hour.
  const open = send(`${url}/detailedCostReport/getWorkloads?from=${endMs}&limit=1`)
  yield* eventually(
    "the open hour is reported",
    Effect.flatMap(succeeded(open), decode),
    ({ totals }) => totals.hoursExisted > 0,
    {
      within: "3 minutes"
    }
  )
  return { url, pods: plans.length * each }
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

/** Posts over a keep-alive connection. */
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
