/** Steps of the clusters' past: a paused Deployment, a nightly run, a crashing pod, an image that does not exist. */
import { type ApiError, eventually, FakeKubelet, type FleetCluster, type Seed } from "@quarterdeck/harness"
import { Effect } from "effect"
import type { Tale } from "./Story.ts"

type Cluster = Pick<FleetCluster.FleetCluster, "api" | "name">

const DEPLOYMENT = { apiVersion: "apps/v1", kind: "Deployment" } as const
const CRON_JOB = { apiVersion: "batch/v1", kind: "CronJob" } as const
const POD = { apiVersion: "v1", kind: "Pod" } as const
const ONE_AT_A_TIME = { discard: true } as const

/** Number of restarts of a crashing container. */
const RESTARTS = "7"
/** A tag that was never pushed. */
const MISSING_TAG = "0.0.0-missing"
/** Run time of a CronJob's pods, as in the cost history. */
const NIGHTLY_RUN = "7m"

/** Pauses the Deployments that the seed plans as paused, or resumes them. */
export const pause = Effect.fnUntraced(function* ({ api }: Cluster, plan: Seed.ClusterPlan, paused: boolean) {
  yield* Effect.forEach(
    inState(plan, "paused"),
    ({ namespace, template: { name } }) => api.patch({ ...DEPLOYMENT, namespace, name }, { spec: { paused } }),
    ONE_AT_A_TIME
  )
})

/** Makes one pod of each Deployment that the seed plans as degraded crash since `startedAt`. */
export const crash = Effect.fnUntraced(function* ({ api }: Cluster, plan: Seed.ClusterPlan, startedAt: string) {
  const annotations = {
    [FakeKubelet.Annotation.fail]: "CrashLoopBackOff",
    [FakeKubelet.Annotation.restarts]: RESTARTS,
    [FakeKubelet.Annotation.startedAt]: startedAt
  }
  for (const { namespace, template } of inState(plan, "degraded")) {
    const labelSelector = `app.kubernetes.io/name=${template.name}`
    const { items } = yield* api.list({ ...POD, namespace, labelSelector })
    const name = items[0]?.metadata.name
    if (name !== undefined) yield* api.patch({ ...POD, namespace, name }, { metadata: { annotations } })
  }
})

/** Rolls out a missing image in the Deployments that the seed plans as progressing, and waits for its pods. */
export const rollOut = Effect.fnUntraced(function* (cluster: Cluster, plan: Seed.ClusterPlan) {
  const rolling = inState(plan, "progressing")
  for (const { image, namespace, template } of rolling) {
    const { name } = template
    const missing = `${image.slice(0, image.lastIndexOf(":"))}:${MISSING_TAG}`
    const annotations = { [FakeKubelet.Annotation.fail]: "ImagePullBackOff" }
    const pods = { metadata: { annotations }, spec: { containers: [{ name, image: missing }] } }
    yield* cluster.api.patch({ ...DEPLOYMENT, namespace, name }, { spec: { template: pods } }, { type: "strategic" })
  }
  yield* inPhase(cluster, "Pending", (count) => count >= rolling.length)
})

/** Makes the CronJobs run that were due since the clock's last move, and waits until their Jobs are over. */
export const runNightly = Effect.fnUntraced(function* (cluster: Cluster, plan: Seed.ClusterPlan) {
  const metadata = { annotations: { [FakeKubelet.Annotation.runFor]: NIGHTLY_RUN } }
  const nightly = plan.workloads.filter(({ state, template }) => template.kind === "CronJob" && state !== "suspended")
  const before = yield* podsIn(cluster, "Succeeded")
  for (const { namespace, template } of nightly) {
    const patch = { spec: { jobTemplate: { spec: { template: { metadata } } } } }
    yield* cluster.api.patch({ ...CRON_JOB, namespace, name: template.name }, patch)
  }
  yield* inPhase(cluster, "Succeeded", (count) => count >= before + nightly.length)
})

/** Waits until the pods of a cluster run: those of the seed, and those of `added`. */
export const run = Effect.fnUntraced(function* (cluster: Cluster, plan: Seed.ClusterPlan, added: ReadonlyArray<Tale>) {
  const planned = plan.workloads.map(({ desired, template: { kind } }) => (isTask(kind) ? 0 : desired))
  const told = added.filter((tale) => tale.cluster === cluster.name).map(({ replicas }) => replicas)
  const expected = [...planned, ...told].reduce((sum, count) => sum + count, 0)
  yield* inPhase(cluster, "Running", (count) => count >= expected)
})

const isTask = (kind: Seed.WorkloadPlan["template"]["kind"]): boolean => kind === "Job" || kind === "CronJob"

const inState = ({ workloads }: Seed.ClusterPlan, state: Seed.WorkloadPlan["state"]) =>
  workloads.filter((plan) => plan.state === state && plan.template.kind === "Deployment")

const podsIn = ({ api }: Cluster, phase: string): Effect.Effect<number, ApiError.ApiError> =>
  Effect.map(api.list({ ...POD, fieldSelector: `status.phase=${phase}` }), ({ items }) => items.length)

const inPhase = (cluster: Cluster, phase: string, accepts: (count: number) => boolean) =>
  eventually(`pods of ${cluster.name} are ${phase}`, podsIn(cluster, phase), accepts, {
    within: "30 seconds",
    every: "20 millis"
  })
