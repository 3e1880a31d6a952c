/** Examples of lists, their rows and their coverage. */
import { Coverage } from "@quarterdeck/cluster-fanout/Coverage"
import {
  ClusterRow,
  EventRow,
  NamespaceRow,
  PodRow,
  StatusCounts,
  Termination,
  Waiting,
  WorkloadDetail,
  WorkloadRow
} from "@quarterdeck/cluster-fanout/Row"
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { ClusterList, RegisterCluster, RegisteredCluster } from "../ClustersGroup.ts"
import { EventList } from "../EventsGroup.ts"
import { NotReady, Readiness, ReadinessDetails } from "../HealthGroup.ts"
import { NamespaceList } from "../NamespacesGroup.ts"
import { PodList } from "../PodsGroup.ts"
import { WorkloadReply } from "../WorkloadGroup.ts"
import { WorkloadList } from "../WorkloadsGroup.ts"
import { example } from "./Example.ts"

const hub = ClusterName.make("hub")
const prod = ClusterName.make("prod")

export const coverage: Coverage = { name: hub, status: "ok", source: "cache", count: 1, ageMs: 312, latencyMs: 1 }

const without = { name: prod, source: "cache", count: 0, ageMs: 0 } as const

export const failedCoverage: Coverage = {
  ...without,
  status: "unreachable",
  latencyMs: 1,
  error: { code: "cluster_unreachable", message: "cluster prod cannot be reached (ECONNREFUSED)" }
}

export const timedOutCoverage: Coverage = {
  ...without,
  status: "timeout",
  latencyMs: 3_001,
  error: { code: "cluster_timeout", message: "cluster prod did not answer within 3000 ms" }
}

export const throttledCoverage: Coverage = {
  ...without,
  status: "throttled",
  latencyMs: 12,
  error: { code: "cluster_throttled", message: "cluster prod is throttling the service", retryAfterMs: 2_000 }
}

/** A cursor in the right form. Its signature is invalid. */
const NEXT_CURSOR = "WyJjYXRhbG9nLWRiIiwiaHViIl0.bciqhfnf3Z4M0Sv589NsTijYvXk"

export const workload: WorkloadRow = {
  id: "8e1961da-66c1-45b6-85f5-c3a44ab21ff1",
  cluster: hub,
  namespace: "shop",
  kind: "StatefulSet",
  name: "catalog-db",
  labels: { "app.kubernetes.io/name": "catalog-db", "app.kubernetes.io/part-of": "shop" },
  images: ["postgres:17.7"],
  replicas: { desired: 2, ready: 1, updated: 2, available: 1 },
  status: "degraded",
  reason: "CrashLoopBackOff",
  since: "2026-11-21T06:14:58Z",
  cpuRequestMillis: 800,
  memoryRequestBytes: 2_147_483_648,
  cpuLimitMillis: 1_600,
  memoryLimitBytes: 4_294_967_296,
  createdAt: "2026-11-21T06:14:40Z"
}

export const statusCounts: StatusCounts = {
  failed: 0,
  degraded: 1,
  progressing: 0,
  paused: 0,
  healthy: 11,
  completed: 3,
  idle: 1
}

const waiting: Waiting = {
  reason: "CrashLoopBackOff",
  message: "back-off 1m20s restarting failed container=postgres pod=catalog-db-1"
}

const lastTermination: Termination = {
  reason: "Error",
  exitCode: 1,
  finishedAt: "2026-11-21T06:15:52Z",
  message: "FATAL: data directory has wrong ownership"
}

const pod: PodRow = {
  id: "0c5bb4c4-3f5e-4c55-9a0b-3c7be6a3bd6e",
  cluster: hub,
  namespace: "shop",
  name: "catalog-db-1",
  labels: { "app.kubernetes.io/name": "catalog-db", "statefulset.kubernetes.io/pod-name": "catalog-db-1" },
  owner: { kind: "StatefulSet", name: "catalog-db" },
  phase: "Running",
  status: "CrashLoopBackOff",
  readyContainers: 0,
  containers: 1,
  restarts: 4,
  lastRestartAt: "2026-11-21T06:15:52Z",
  waiting,
  lastTermination,
  node: "node-2",
  images: ["postgres:17.7"],
  cpuRequestMillis: 400,
  memoryRequestBytes: 1_073_741_824,
  cpuLimitMillis: 800,
  memoryLimitBytes: 2_147_483_648,
  startedAt: "2026-11-21T06:14:42Z",
  createdAt: "2026-11-21T06:14:41Z"
}

const detail: WorkloadDetail = {
  ...workload,
  resourceVersion: "81322",
  selector: "app.kubernetes.io/name=catalog-db",
  conditions: [],
  rollout: { revision: "catalog-db-6c9f7b8d4", isPaused: false, strategy: "RollingUpdate" },
  containers: [
    {
      name: "postgres",
      image: "postgres:17.7",
      cpuRequestMillis: 400,
      memoryRequestBytes: 1_073_741_824,
      cpuLimitMillis: 800,
      memoryLimitBytes: 2_147_483_648,
      ports: [{ name: "postgres", port: 5432, protocol: "TCP" }],
      restarts: 4
    }
  ]
}

const namespace: NamespaceRow = {
  id: "a547795a-4bae-404a-b838-84690b124d9e",
  cluster: hub,
  name: "shop",
  labels: { "kubernetes.io/metadata.name": "shop", team: "storefront" },
  phase: "Active",
  createdAt: "2026-11-21T06:14:39Z"
}

const cluster: ClusterRow = {
  name: hub,
  role: "parent",
  version: "v1.36.3",
  reachable: true,
  lastSeen: "2026-11-21T06:16:06.007Z",
  nodes: 4,
  pods: 29,
  unhealthyWorkloads: 1,
  cpuAllocatableMillis: 23_680,
  memoryAllocatableBytes: 98_784_247_808,
  cpuRequestMillis: 9_450,
  memoryRequestBytes: 21_206_401_024,
  labels: {},
  coverage
}

const checks: NonNullable<Readiness["checks"]> = {
  keyStore: "ok",
  costStore: "ok",
  audit: "ok",
  configuredKeys: "ok",
  clusters: { registered: 3, synced: 3, waiting: 0 }
}

const details: ReadinessDetails = {
  sources: [
    {
      severity: "warning",
      code: "duplicate_name",
      source: "kubeconfig.yaml, context staging-2",
      message: "another context has the name staging, which counts"
    }
  ],
  configuredKeys: { refused: 0 },
  audit: { deniedBytes: 4_194_304, otherBytes: 52_428_800, shareMaxBytes: 5_368_709_120 },
  costs: [{ cluster: prod, usage: "sampled", troubles: [{ what: "usage", problem: "metrics.k8s.io is not served" }] }],
  backfill: []
}

const event: EventRow = {
  id: "5b1c2f3e-8f0a-4c55-9a0b-3c7be6a3bd6e",
  cluster: hub,
  namespace: "shop",
  regarding: { kind: "Pod", name: "catalog-db-1", id: "0c5bb4c4-3f5e-4c55-9a0b-3c7be6a3bd6e" },
  type: "Warning",
  reason: "BackOff",
  message: "Back-off restarting failed container postgres in pod catalog-db-1",
  count: 7,
  firstSeenAt: "2026-11-21T06:15:53.000Z",
  lastSeenAt: "2026-11-21T06:21:04.000Z",
  reportedBy: "kubelet"
}

export const listExamples = [
  example(Coverage, coverage),
  example(WorkloadRow, workload),
  example(WorkloadList, {
    workloads: [workload],
    clusters: [coverage, failedCoverage],
    partial: true,
    nextCursor: NEXT_CURSOR,
    statusCounts
  }),
  example(StatusCounts, statusCounts),
  example(Waiting, waiting),
  example(Termination, lastTermination),
  example(WorkloadDetail, detail),
  example(WorkloadReply, {
    workload: detail,
    pods: [pod],
    podCount: 1,
    clusters: [{ ...coverage, source: "live", ageMs: 0, latencyMs: 9 }],
    partial: false
  }),
  example(PodRow, pod),
  example(PodList, {
    pods: [pod],
    clusters: [coverage, failedCoverage],
    partial: true,
    nextCursor: NEXT_CURSOR
  }),
  example(EventRow, event),
  example(EventList, {
    events: [event],
    clusters: [coverage, failedCoverage],
    partial: true,
    nextCursor: NEXT_CURSOR
  }),
  example(NamespaceRow, namespace),
  example(NamespaceList, { namespaces: [namespace], clusters: [coverage], partial: false }),
  example(ClusterRow, cluster),
  example(RegisterCluster, {
    name: "prod",
    server: "https://prod.example.com:6443",
    caData: "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCg==",
    token: "eyJhbGciOiJSUzI1NiJ9.e30.c2ln",
    labels: { region: "eu" }
  }),
  example(RegisteredCluster, { cluster }),
  example(ClusterList, { clusters: [cluster], partial: false }),
  example(ReadinessDetails, details),
  example(Readiness, { status: "ready", checks, details }),
  example(NotReady, {
    status: "starting",
    checks: { ...checks, clusters: { registered: 3, synced: 2, waiting: 1 } }
  })
]
