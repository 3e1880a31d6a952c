/**
 * Clusters whose every container follows a curve, with kubelets and metrics, and what they must come to.
 */
import { Heartbeat } from "@quarterdeck/cluster-fanout"
import { DefaultPrices } from "@quarterdeck/cost"
import { describe, layer, type Vitest } from "@effect/vitest"
import { Drivers, eventually, FakeKubelet, type Fleet, type FleetCluster, Seed, Usage } from "@quarterdeck/harness"
import { Context, Effect, Layer, Schema } from "effect"
import { past } from "./costFleetHistory.ts"
import { Deployment } from "./Deployment.ts"

export const CLUSTERS = ["hub", "prod", "stage"] as const
export type Name = (typeof CLUSTERS)[number]

/** The cloud that the seed puts each cluster into. */
const PRICES: Record<Name, DefaultPrices.ProviderPrices> = {
  hub: DefaultPrices.defaultPrices.aws,
  prod: DefaultPrices.defaultPrices.gcp,
  stage: DefaultPrices.defaultPrices.azure
}

const MIB = 1_048_576

/** A pod of its own in the namespace `payments`, on the first machine of its cluster. */
interface Extra {
  readonly name: string
  readonly cpuRequestMillis: number
  readonly memoryRequestMib: number
  readonly cpu: string
  readonly memory: string
}

/** One uses more than it requested, the other follows a day of its own that is half above its request. */
const EXTRAS: ReadonlyArray<Extra> = [
  { name: "burst", cpuRequestMillis: 250, memoryRequestMib: 256, cpu: "flat 300m", memory: "flat 320Mi" },
  {
    name: "tide",
    cpuRequestMillis: 500,
    memoryRequestMib: 512,
    cpu: "wave 100m 900m every 4h at 1h",
    memory: "wave 400Mi 600Mi every 4h at 2h"
  }
]

/** A workload as it runs: the pods of one row, and the curves that all of them follow. */
export interface Running {
  readonly id: string
  readonly cluster: Name
  readonly spots: ReadonlyArray<boolean>
  readonly cpuRequestCores: number
  readonly memoryRequestBytes: number
  readonly cpuCores: Usage.Curve
  readonly memoryBytes: Usage.Curve
  readonly volumeGib: number
  readonly isPublic: boolean
}

const planOf = (cluster: Name) => Seed.plan({ seed: 1, size: "tiny", cluster, index: CLUSTERS.indexOf(cluster) })

/** What runs in a cluster. */
export const runningIn = (cluster: Name) =>
  Effect.map(planOf(cluster), ({ workloads }): ReadonlyArray<Running> => [
    ...workloads.map(({ namespace, pods, template }): Running => {
      const { isPublic = false, kind, name, resources, volumeGib = 0 } = template
      const memoryRequestBytes = resources.memoryRequestMib * MIB
      const cpuRequestCores = resources.cpuRequestMillis / 1_000
      const bounds = {
        cpuRequestCores,
        memoryRequestBytes,
        cpuLimitCores: resources.cpuLimitMillis / 1_000,
        memoryLimitBytes: resources.memoryLimitMib * MIB
      }
      const { cpuCores, memoryBytes } = Usage.assign(1, { namespace, kind, name, container: name }, bounds)
      return {
        id: `${cluster}/${namespace}/${kind}/${name}`,
        cluster,
        spots: pods.map(({ node }) => node.spot),
        cpuRequestCores,
        memoryRequestBytes,
        cpuCores,
        memoryBytes,
        volumeGib,
        isPublic
      }
    }),
    ...EXTRAS.map(({ cpu, cpuRequestMillis, memory, memoryRequestMib, name }): Running => ({
      id: `${cluster}/payments/Pod/${name}`,
      cluster,
      spots: [false],
      volumeGib: 0,
      isPublic: false,
      cpuRequestCores: cpuRequestMillis / 1_000,
      memoryRequestBytes: memoryRequestMib * MIB,
      cpuCores: Usage.parse(cpu) ?? Usage.flat(0),
      memoryBytes: Usage.parse(memory) ?? Usage.flat(0)
    }))
  ])

const fill = (cluster: FleetCluster.FleetCluster, { nodes }: Seed.ClusterPlan) =>
  Effect.forEach(EXTRAS, ({ cpu, cpuRequestMillis, memory, memoryRequestMib, name }) =>
    cluster.api.create({
      apiVersion: "v1",
      kind: "Pod",
      metadata: {
        name,
        namespace: "payments",
        annotations: { [Usage.Annotation.cpu]: cpu, [Usage.Annotation.memory]: memory }
      },
      spec: {
        nodeName: nodes[0]?.name,
        containers: [
          {
            name: "main",
            image: "acme/main:1",
            resources: { requests: { cpu: `${cpuRequestMillis}m`, memory: `${memoryRequestMib}Mi` } }
          }
        ]
      }
    })
  )

const isRunning = Schema.is(Schema.Struct({ status: Schema.Struct({ phase: Schema.Literal("Running") }) }))

/** Fills the clusters, and waits until all that is to run does. */
const prepare = Effect.fnUntraced(function* (fleet: Fleet["Service"]) {
  const plans = yield* Seed.fill(fleet, { size: "tiny", pods: "bound" })
  yield* Effect.forEach(
    fleet.clusters,
    Effect.fnUntraced(function* (cluster, index) {
      const plan = plans[index]
      if (plan !== undefined) yield* fill(cluster, plan)
      yield* FakeKubelet.start(cluster)
      yield* Usage.serve(cluster)
      yield* eventually(
        `the pods of ${cluster.name} run`,
        cluster.api.list({ apiVersion: "v1", kind: "Pod" }),
        ({ items }) => items.length > 0 && items.every((pod) => isRunning(pod)),
        { within: "60 seconds" }
      )
    }),
    { concurrency: "unbounded" }
  )
})

/** What a row must come to. */
export const expected = (
  running: Running,
  seen: { readonly fromMs: number; readonly toMs: number; readonly knownSeconds: number }
) => {
  const { cluster, cpuCores, cpuRequestCores, isPublic, memoryBytes, memoryRequestBytes, spots, volumeGib } = running
  const prices = PRICES[cluster]
  const seconds = (seen.toMs - seen.fromMs) / 1_000
  const hours = seconds / 3_600
  const priceOf = (spot: number, onDemand: number) => spots.reduce((sum, isSpot) => sum + (isSpot ? spot : onDemand), 0)
  const cores = charged(cpuCores, cpuRequestCores, seen)
  const bytes = charged(memoryBytes, memoryRequestBytes, seen)
  const cpuCost = cores * hours * priceOf(prices.spotCpuPerCoreHour, prices.cpuPerCoreHour)
  const memoryCost = (bytes / 2 ** 30) * hours * priceOf(prices.spotMemoryPerGiBHour, prices.memoryPerGiBHour)
  const storageCost = spots.length * volumeGib * hours * prices.storagePerGiBHour
  const loadBalancerCost = isPublic ? hours * prices.loadBalancerPerHour : 0
  return {
    cpuCost,
    memoryCost,
    storageCost,
    loadBalancerCost,
    totalCost: cpuCost + memoryCost + storageCost + loadBalancerCost,
    replicaHours: spots.length * hours,
    cpuCoreHours: spots.length * cores * hours,
    memoryByteHours: spots.length * bytes * hours,
    cpuEfficiency: Usage.average(cpuCores, seen.fromMs, seen.toMs) / cpuRequestCores,
    memoryEfficiency: Usage.average(memoryBytes, seen.fromMs, seen.toMs) / memoryRequestBytes,
    spotPercent: (100 * spots.filter((isSpot) => isSpot).length) / spots.length
  }
}

/** The mean of the greater of request and curve, second by second; of the request alone where no sample tells. */
const charged = (
  curve: Usage.Curve,
  request: number,
  { fromMs, knownSeconds, toMs }: { readonly fromMs: number; readonly toMs: number; readonly knownSeconds: number }
): number => {
  const seconds = Math.round((toMs - fromMs) / 1_000)
  const greater = Array.from({ length: seconds }, (_, at) => Math.max(request, Usage.at(curve, fromMs + at * 1_000)))
  const mean = greater.reduce((sum, level) => sum + level, 0) / seconds
  return (mean * knownSeconds + request * (seconds - knownSeconds)) / seconds
}

/** The last hours of all clusters, the present one too. */
export const NOW = "?range=1h"
export const everywhere = { headers: [["X-Service-Cluster", "*"]] } as const

/** Asks for seconds in which each cluster has been seen, and what it said. */
export const reportNow = Effect.gen(function* () {
  const reply = yield* (yield* Deployment).costs(NOW, {}, everywhere)
  const covered = new Map(
    reply.clusters.map(({ hoursCovered, name }): [string, number] => [name, hoursCovered * 3_600])
  )
  return { ...reply, coveredSeconds: (cluster: string) => covered.get(cluster) ?? 0 }
})

/** A pod that runs for a minute of real time, begun when the service watches its cluster. */
export class MinutePod extends Context.Service<MinutePod, { readonly id: string; readonly name: string }>()(
  "@quarterdeck/http-server/test/MinutePod"
) {
  static readonly layer = Layer.effect(
    MinutePod,
    Effect.gen(function* () {
      const prod = yield* (yield* Deployment).fleet.cluster("prod")
      yield* eventually("prod is seen", reportNow, ({ coveredSeconds }) => coveredSeconds("prod") > 0, {
        within: "60 seconds"
      })
      const { nodes } = yield* planOf("prod")
      yield* prod.api.create({
        apiVersion: "v1",
        kind: "Pod",
        metadata: {
          name: "minute",
          namespace: "payments",
          annotations: {
            [FakeKubelet.Annotation.runFor]: "60s",
            // Below its request, or a curve of the harness's choice would be charged where a sample has caught it.
            [Usage.Annotation.cpu]: "flat 50m",
            [Usage.Annotation.memory]: "flat 16Mi"
          }
        },
        spec: {
          nodeName: nodes[1]?.name,
          restartPolicy: "Never",
          containers: [
            { ...{ name: "main", image: "acme/main:1" }, resources: { requests: { cpu: "100m", memory: "64Mi" } } }
          ]
        }
      })
      return MinutePod.of({ id: "prod/payments/Pod/minute", name: "minute" })
    })
  ).pipe(Layer.orDie)
}

/** Starting three real control planes, and stopping them, on a busy machine. */
const START_TIMEOUT = "180 seconds"

const { run } = await Effect.runPromise(Drivers.selected)

/** Real API servers where the run has them: each driver would wait for the same minute of real time. */
const realest = run
  .filter(({ name }) => name === "control-plane")
  .concat(run)
  .slice(0, 1)

/** Registers a suite for the driver that is nearest to real clusters. */
export const onCostFleet = (name: string, suite: (it: Vitest.MethodsNonLive<Deployment | MinutePod>) => void): void => {
  describe.each(realest)(`${name} on $name`, (driver) => {
    const deployment = Deployment.layer({
      driver,
      prepare,
      furnish: past,
      // A quiet cluster is seen up to its last heartbeat.
      limits: Context.make(Heartbeat.HeartbeatLimits, {
        ...Heartbeat.HeartbeatLimits.defaultValue(),
        intervalMs: 1_000
      }),
      options: { cost: { sampleSeconds: 10 } }
    })
    layer(MinutePod.layer.pipe(Layer.provideMerge(deployment)), { timeout: START_TIMEOUT, excludeTestServices: true })(
      suite
    )
  })
}
