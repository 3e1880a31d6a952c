/**
 * A whole deployment for a test: a fleet of clusters, the service in front of it over real HTTP, one key of each kind.
 */
import { NodeServices } from "@effect/platform-node"
import { ApiKeyList } from "@quarterdeck/contract/ApiKeysGroup"
import { CreatedApiKey } from "@quarterdeck/keys/ApiKey"
import { ClusterList } from "@quarterdeck/contract/ClustersGroup"
import { Readiness } from "@quarterdeck/contract/HealthGroup"
import { NamespaceList } from "@quarterdeck/contract/NamespacesGroup"
import { EventList } from "@quarterdeck/contract/EventsGroup"
import { PodList } from "@quarterdeck/contract/PodsGroup"
import { Problem } from "@quarterdeck/contract/Problem"
import { AggregatedCosts } from "@quarterdeck/cost/Aggregate"
import { WorkloadCosts } from "@quarterdeck/cost/CostRow"
import { Explanation } from "@quarterdeck/cost/Explanation"
import { PriceBook } from "@quarterdeck/cost/PriceBook"
import { WorkloadList } from "@quarterdeck/contract/WorkloadsGroup"
import {
  type ClusterDriver,
  eventually,
  Fleet,
  type HarnessError,
  Kubeconfig,
  type RunningFleet
} from "@quarterdeck/harness"
import { Context, Effect, FileSystem, Layer, Path, Redacted, Schema, type Scope } from "effect"
import { createHash } from "node:crypto"
import { type IncomingHttpHeaders, request } from "node:http"
import * as Listener from "../../src/Listener.ts"
import type { Options } from "../../src/settings/Options.ts"
import { Quarterdeck } from "../../src/Quarterdeck.ts"
import { CLUSTERS } from "./clusters.ts"
import { serviceLog } from "./serviceLog.ts"

/** The configured keys of every deployment, by what they may. */
const RULES = {
  admin: { role: "Admin" },
  operator: { role: "Operator" },
  viewer: { role: "Viewer" },
  prodOperator: { role: "Operator", targetClusters: ["prod"] },
  prodAdmin: { role: "Admin", targetClusters: ["prod"] },
  prodViewer: { role: "Viewer", targetClusters: ["prod"] },
  childrenViewer: { role: "Viewer", targetClusters: ["stage", "prod", "later"] },
  shopViewer: { role: "Viewer", targetNamespaces: [{ namespaceNames: ["shop"] }] },
  shopAdmin: { role: "Admin", targetNamespaces: [{ namespaceNames: ["shop"] }] },
  shopOperator: { role: "Operator", targetNamespaces: [{ namespaceNames: ["shop"] }] },
  teamOperator: {
    role: "Operator",
    targetNamespaces: [{ namespaceNames: [], labelSelector: { matchLabels: { team: "storefront" } } }]
  },
  teamViewer: {
    role: "Viewer",
    targetNamespaces: [{ namespaceNames: [], labelSelector: { matchLabels: { team: "storefront" } } }]
  }
} as const
export type KeyName = keyof typeof RULES

/** The raw key of a name; of a name without a rule it is one that the service does not know. */
export const rawKey = (name: string): string => `e2e-${name}-0123456789`

/** One call. **Shape** `key` defaults to the unscoped Viewer's; `null` sends none. Headers repeat as they are listed. */
export interface Call {
  readonly method?: string
  readonly key?: KeyName | null
  readonly headers?: ReadonlyArray<readonly [name: string, value: string]>
  /** A raw key instead of a configured one. */
  readonly bearer?: string
  /** Another name of the server than its address. */
  readonly host?: string
  /** Text is sent as it is, anything else as JSON with its media type. */
  readonly body?: unknown
}

interface Reply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

const json = <S extends Schema.ConstraintDecoder<unknown>>(schema: S) =>
  Schema.decodeUnknownEffect(Schema.fromJsonString(schema), { onExcessProperty: "error" })

const decodeWorkloads = json(WorkloadList)
const decodeClusters = json(ClusterList)
const decodeNamespaces = json(NamespaceList)
const decodePods = json(PodList)
const decodeEvents = json(EventList)
const decodeApiKeys = json(ApiKeyList)
const decodeCosts = json(WorkloadCosts)
const decodeGroups = json(AggregatedCosts)
const decodeExplanation = json(Explanation)
const decodePrices = json(PriceBook)
const decodeProblem = json(Problem)
const decodeReadiness = json(Readiness)
const decodeCreated = json(CreatedApiKey)

/** What the reply of a call that should succeed did not. */
class CallRefused extends Schema.TaggedError<CallRefused>()("CallRefused", {
  status: Schema.Number,
  text: Schema.String
}) {
  override get message(): string {
    return `${this.status} ${this.text}`
  }
}

const succeeded = (reply: Reply) =>
  reply.status === 200
    ? Effect.succeed(reply.text)
    : Effect.fail(new CallRefused({ status: reply.status, text: reply.text }))

/** Names a cluster by the default header. */
export const to = (target: string): ReadonlyArray<readonly [string, string]> => [["X-Service-Cluster", target]]

export interface DeploymentOptions {
  readonly driver: ClusterDriver.ClusterDriver
  readonly children?: ReadonlyArray<string>
  /** Whether clusters can be made to fail while they run; those of a borrowed fleet always can. */
  readonly faults?: boolean
  /** Gets the clusters; a fleet of the suite's own unless given. */
  readonly clusters?: Effect.Effect<RunningFleet.RunningFleet, HarnessError.HarnessError, Scope.Scope>
  /** What runs once the clusters are there, before the service starts. */
  readonly prepare?: (fleet: Fleet["Service"]) => Effect.Effect<unknown, unknown, Scope.Scope>
  /** How many of the clusters do not answer when the service starts; none unless given. */
  readonly silent?: number
  /** What runs before the service starts, in its data directory. */
  readonly furnish?: (dataDirectory: string) => Effect.Effect<unknown, unknown, Scope.Scope>
  /** The kubeconfig for the service; the administrator's unless given. */
  readonly kubeconfig?: (fleet: Fleet["Service"]) => Effect.Effect<string, unknown, Scope.Scope>
  readonly options?: Options
  /** Limits of the service other than its usual ones, which no setting changes. */
  readonly limits?: Context.Context<never>
}

/** The parent and some of the children, as if there were no others. */
const partOf = Effect.fnUntraced(function* (fleet: RunningFleet.RunningFleet, names: ReadonlyArray<string>) {
  const children = fleet.children.filter(({ name }) => names.includes(name))
  const clusters = [fleet.parent, ...children]
  const kubeconfigFor = (user: string) =>
    Effect.map(
      Effect.forEach(clusters, (cluster) => cluster.context(user)),
      Kubeconfig.print
    )
  return { ...fleet, children, clusters, kubeconfig: yield* kubeconfigFor("admin"), kubeconfigFor }
})

const make = Effect.fnUntraced(function* (options: DeploymentOptions) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const children = options.children ?? CLUSTERS.children
  const fleet =
    options.clusters === undefined
      ? yield* Fleet.make({ ...CLUSTERS, driver: options.driver, children, faults: options.faults ?? false })
      : yield* partOf(yield* options.clusters, children)
  yield* options.prepare?.(fleet) ?? Effect.void

  const directory = yield* files.makeTempDirectoryScoped({ prefix: "quarterdeck-e2e-" })
  const kubeconfigFile = path.join(directory, "kubeconfig.yaml")
  const keysFile = path.join(directory, "keys.yaml")
  yield* files.writeFileString(kubeconfigFile, yield* options.kubeconfig?.(fleet) ?? Effect.succeed(fleet.kubeconfig))
  yield* files.writeFileString(keysFile, JSON.stringify(configuredKeys()))

  const dataDirectory = path.join(directory, "data")
  yield* options.furnish?.(dataDirectory) ?? Effect.void

  const services = yield* Layer.build(
    Quarterdeck.layer({
      // Tests ask more often than any program.
      limits: { keyPerSecond: 0, failedPerSecond: 0 },
      ...options.options,
      clusters: { kubeconfig: [kubeconfigFile], ...options.options?.clusters },
      keys: { file: keysFile, ...options.options?.keys },
      dataDirectory
    })
  ).pipe(Effect.provide(options.limits ?? Context.empty()))
  const { app, nodeHandler } = Context.get(services, Quarterdeck)
  const listener = yield* Listener.listen(nodeHandler, { host: "127.0.0.1", port: 0, shutdownMs: 1_000 })

  const call = (route: string, call: Call = {}) => send(`${listener.url}${route}`, call)
  // Readiness does not wait for a cluster that seems dead, as one may on a busy machine; tests look at all that answer.
  yield* eventually(
    "the service is ready, and has read every cluster that answers",
    Effect.flatMap(call("/readyz", { key: "admin" }), ({ text }) => decodeReadiness(text)),
    ({ checks, status }) => status === "ready" && checks?.clusters.waiting === (options.silent ?? 0),
    { within: "60 seconds" }
  )
  /** Makes a key and gives it with its secret. */
  const createKey = Effect.fnUntraced(function* (body: unknown, key: KeyName = "admin") {
    const reply = yield* call("/api/v1/apiKeys", { method: "POST", key, body })
    if (reply.status !== 201) return yield* new CallRefused({ status: reply.status, text: reply.text })
    const created = yield* decodeCreated(reply.text)
    return { raw: Redacted.value(created.key), apiKey: created.apiKey, reply }
  })
  const get =
    (resource: string) =>
    (query = "", options: Call = {}) =>
      Effect.flatMap(call(`/api/v1/${resource}${query}`, options), succeeded)
  const post =
    (route: string) =>
    (query: string, body: unknown, options: Call = {}) =>
      Effect.flatMap(call(`/detailedCostReport/${route}${query}`, { method: "POST", body, ...options }), succeeded)
  return {
    fleet,
    url: listener.url,
    /** The service as an effect, which a test may serve by another way. */
    app,
    kubeconfigFile,
    keysFile,
    dataDirectory,
    call,
    createKey,
    workloads: (query?: string, options?: Call) => Effect.flatMap(get("workloads")(query, options), decodeWorkloads),
    pods: (query?: string, options?: Call) => Effect.flatMap(get("pods")(query, options), decodePods),
    events: (query?: string, options?: Call) => Effect.flatMap(get("events")(query, options), decodeEvents),
    clusters: (query?: string, options?: Call) => Effect.flatMap(get("clusters")(query, options), decodeClusters),
    namespaces: (query?: string, options?: Call) => Effect.flatMap(get("namespaces")(query, options), decodeNamespaces),
    apiKeys: (query?: string, options?: Call) => Effect.flatMap(get("apiKeys")(query, options), decodeApiKeys),
    costs: (query: string, body: unknown = {}, options?: Call) =>
      Effect.flatMap(post("getWorkloads")(query, body, options), decodeCosts),
    costGroups: (query: string, body: unknown, options?: Call) =>
      Effect.flatMap(post("getAggregated")(query, body, options), decodeGroups),
    costExplanation: (query: string, options?: Call) =>
      Effect.flatMap(get("costExplanation")(query, options), decodeExplanation),
    prices: (options?: Call) => Effect.flatMap(get("prices")("", options), decodePrices),
    /** Makes a call that should be refused, and gives the problem. */
    problem: (route: string, options: Call = {}) =>
      Effect.gen(function* () {
        const reply = yield* call(route, options)
        const problem = yield* decodeProblem(reply.text)
        return { ...problem, reply }
      })
  }
})

/** The deployment that the tests of one file share. */
export class Deployment extends Context.Service<Deployment, Effect.Success<ReturnType<typeof make>>>()(
  "@quarterdeck/http-server/test/Deployment"
) {
  static readonly layer = (options: DeploymentOptions) => {
    const log = serviceLog()
    return Layer.effect(
      Deployment,
      Effect.onError(make(options), () => log.name)
    ).pipe(Layer.provide(log.layer), Layer.provide(NodeServices.layer), Layer.orDie)
  }

  /** A deployment for a program that is no test: it logs where the program does. */
  static readonly layerOfProgram = (options: DeploymentOptions) =>
    Layer.effect(Deployment, make(options)).pipe(Layer.provide(NodeServices.layer), Layer.orDie)
}

const configuredKeys = () => [
  ...Object.entries(RULES).map(([name, rule]) => ({ name, hash: sha256(rawKey(name)), rule })),
  { name: "expired", hash: sha256(rawKey("expired")), expire: "2020-01-01T00:00:00Z", rule: { role: "Admin" } },
  { name: "spaced", hash: sha256("a key, with space"), rule: { role: "Viewer" } }
]

const sha256 = (text: string): string => createHash("sha256").update(text, "utf8").digest("hex")

/** Sends one request as it is told to, repeated headers included, over a connection of its own. */
export const send = (url: string, { bearer, body, headers = [], host, key = "viewer", method = "GET" }: Call) =>
  Effect.callback<Reply, Error>((resume) => {
    const text = typeof body === "string" || body === undefined ? body : JSON.stringify(body)
    const lines = [
      ["Host", host ?? new URL(url).host],
      ...(key === null && bearer === undefined ? [] : [["Authorization", `Bearer ${bearer ?? rawKey(key ?? "")}`]]),
      ...(typeof body === "string" || body === undefined ? [] : [["Content-Type", "application/json"]]),
      ...(text === undefined ? [] : [["Content-Length", String(Buffer.byteLength(text))]]),
      ["Connection", "close"],
      ...headers
    ]
    const outgoing = request(url, { method, agent: false, headers: lines.flat() }, (incoming) => {
      const chunks: Array<Buffer> = []
      incoming.on("data", (chunk: Buffer) => chunks.push(chunk))
      incoming.on("error", (error) => resume(Effect.fail(error)))
      incoming.on("end", () =>
        resume(
          Effect.succeed({
            status: incoming.statusCode ?? 0,
            headers: incoming.headers,
            text: Buffer.concat(chunks).toString("utf8")
          })
        )
      )
    })
    outgoing.on("error", (error) => resume(Effect.fail(error)))
    outgoing.end(text)
    return Effect.sync(() => outgoing.destroy())
  })
