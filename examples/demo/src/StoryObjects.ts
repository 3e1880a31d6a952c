/** Creates the workloads of the story in the clusters, beside the seeded ones. */
import { type ApiError, type FleetCluster, KubeObject, type Seed, Usage } from "@quarterdeck/harness"
import { DateTime, Effect } from "effect"
import * as Pasts from "./Pasts.ts"
import * as StoryEvents from "./StoryEvents.ts"
import { type Tale, tales } from "./Story.ts"

type Cluster = Pick<FleetCluster.FleetCluster, "api" | "name">

const CONCURRENCY = 8

/** Creates the workloads of a cluster that have not ended. */
export const put = Effect.fnUntraced(function* (
  cluster: Cluster,
  plan: Seed.ClusterPlan
): Effect.fn.Return<void, ApiError.ApiError> {
  const now = DateTime.formatIso(DateTime.startOf(yield* DateTime.now, "second"))
  const living = tales.filter((tale) => tale.cluster === cluster.name && tale.endedDaysAgo === undefined)
  yield* Effect.forEach(living, (tale) => putTale(cluster, plan, tale, now), {
    concurrency: CONCURRENCY,
    discard: true
  })
  yield* Effect.forEach(StoryEvents.of(plan, living, now), (event) => cluster.api.create(event), {
    concurrency: CONCURRENCY,
    discard: true
  })
})

const putTale = Effect.fnUntraced(function* ({ api }: Cluster, plan: Seed.ClusterPlan, tale: Tale, now: string) {
  const { name, namespace, replicas } = tale
  const labels = Pasts.labelsOf(tale, plan)
  const selector = { matchLabels: { "app.kubernetes.io/name": name } }
  const template = { metadata: { labels, annotations: annotationsOf(tale) }, spec: podSpec(tale) }
  const counts = { observedGeneration: 1, replicas, readyReplicas: replicas, availableReplicas: replicas }
  const create = Effect.fnUntraced(function* (object: KubeObject.KubeObject, status: object) {
    const created = yield* api.create(object)
    yield* api.patch(KubeObject.refOf(created), { status }, { subresource: "status" })
    return created
  })

  const deployment = yield* create(
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name, namespace, labels },
      spec: { replicas, selector, template }
    },
    { ...counts, updatedReplicas: replicas }
  )
  const set = yield* create(
    {
      apiVersion: "apps/v1",
      kind: "ReplicaSet",
      metadata: { name: `${name}-${HASH}`, namespace, labels, ownerReferences: [ownerOf(deployment)] },
      spec: { replicas, selector, template }
    },
    { ...counts, fullyLabeledReplicas: replicas }
  )
  const pods = Pasts.podsOf(tale, plan)
  yield* Effect.forEach(
    pods,
    (pod) =>
      create(
        {
          apiVersion: "v1",
          kind: "Pod",
          metadata: {
            ...template.metadata,
            annotations: { ...template.metadata.annotations, ...StoryEvents.logOf(name, pod.name, now) },
            namespace,
            name: pod.name,
            ownerReferences: [ownerOf(set)]
          },
          spec: { ...podSpec(tale), nodeName: pod.node }
        },
        podStatus(tale, now)
      ),
    { concurrency: CONCURRENCY, discard: true }
  )
})

/** Suffix of the names of the ReplicaSets. */
const HASH = "5d8f7b6c9d"

const ownerOf = ({ apiVersion, kind, metadata: { name = "", uid = "" } }: KubeObject.KubeObject) => ({
  apiVersion,
  kind,
  name,
  uid,
  controller: true
})

const annotationsOf = ({ cpu, memory }: Tale) => ({ [Usage.Annotation.cpu]: cpu, [Usage.Annotation.memory]: memory })

const podSpec = ({ cpuRequestMillis, memoryRequestMib, name }: Tale) => ({
  containers: [
    {
      name,
      image: Pasts.imageOf(name),
      resources: { requests: { cpu: `${cpuRequestMillis}m`, memory: `${memoryRequestMib}Mi` } }
    }
  ]
})

const podStatus = ({ name }: Tale, now: string) => ({
  phase: "Running",
  startTime: now,
  conditions: [{ type: "Ready", status: "True", lastTransitionTime: now }],
  containerStatuses: [
    {
      name,
      image: Pasts.imageOf(name),
      imageID: "",
      ready: true,
      started: true,
      restartCount: 0,
      state: { running: { startedAt: now } }
    }
  ]
})
