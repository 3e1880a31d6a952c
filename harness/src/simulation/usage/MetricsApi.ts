/**
 * The API group `metrics.k8s.io` as a function from requests to responses.
 *
 * **Source** kubernetes-sigs/metrics-server, `pkg/api` (which pods have metrics, error messages) and
 * `k8s.io/metrics/pkg/apis/metrics/v1beta1`.
 */
import { LabelSelector } from "@quarterdeck/embedded-cluster"
import { Result } from "effect"
import { instant } from "../kubelet/PodStatus.ts"
import { containersOf, isRunning, NODE_OVERHEAD, type RunningContainer } from "./Cadvisor.ts"
import { average, type Curve } from "./Curve.ts"
import type { Inventory } from "./Inventory.ts"
import type { ContainerUsage } from "./Profile.ts"
import type { NodeRow, PodRow, Row } from "./Rows.ts"

export const GROUP = "metrics.k8s.io"
export const VERSION = "v1beta1"
const GROUP_VERSION = `${GROUP}/${VERSION}`
/** Usage is the mean over this window, up to now. */
const WINDOW_MS = 15_000

export interface MetricsAnswer {
  readonly status: number
  readonly body: unknown
}

/** The data of the responses. */
export interface MetricsSource {
  readonly seed: number
  readonly inventory: Inventory
}

/** Answers one request. */
export const answer = (source: MetricsSource, method: string, url: URL, nowMs: number): MetricsAnswer => {
  if (method !== "GET") return failure(405, "MethodNotAllowed", "the server does not allow this method on the resource")
  const path = url.pathname
    .split("/")
    .filter((part) => part !== "")
    .map(decodeURIComponent)
  if (path[0] !== "apis") return unknown()
  if (path.length === 1) return ok({ kind: "APIGroupList", apiVersion: "v1", groups: [group] })
  if (path[1] !== GROUP) return unknown()
  if (path.length === 2) return ok({ kind: "APIGroup", apiVersion: "v1", ...group })
  if (path[2] !== VERSION) return unknown()
  if (path.length === 3) return ok(resources)
  return resource(source, path.slice(3), url.searchParams, nowMs)
}

const resource = (
  source: MetricsSource,
  path: ReadonlyArray<string>,
  query: URLSearchParams,
  nowMs: number
): MetricsAnswer => {
  const { inventory } = source
  const [first, second, third, fourth] = path
  if (first === "nodes" && path.length <= 2) {
    const one = (node: NodeRow) => nodeMetrics(source, node, nowMs)
    return second === undefined
      ? list("NodeMetricsList", inventory.nodes.rows(), one, query)
      : get(inventory.nodes.rows(), (node) => node.name === second, one, "nodemetrics", second)
  }
  const one = (pod: PodRow) => podMetrics(source, pod, nowMs)
  if (first === "pods" && path.length === 1) return list("PodMetricsList", inventory.pods.rows(), one, query)
  if (first !== "namespaces" || third !== "pods" || second === undefined || path.length > 4) return unknown()
  const here = [...inventory.pods.rows()].filter(({ namespace }) => namespace === second)
  return fourth === undefined
    ? list("PodMetricsList", here, one, query)
    : get(here, ({ name }) => name === fourth, one, "podmetrics", `${second}/${fourth}`)
}

const list = <A extends Row>(
  kind: string,
  rows: Iterable<A>,
  metrics: (row: A) => object | undefined,
  query: URLSearchParams
): MetricsAnswer => {
  const labels = LabelSelector.parse(query.get("labelSelector") ?? "")
  if (Result.isFailure(labels)) return failure(400, "BadRequest", labels.failure.message)
  const fields = parseFields(query.get("fieldSelector") ?? "")
  if (fields === undefined) return failure(400, "BadRequest", "invalid field selector")
  const items: Array<object> = []
  for (const row of rows) {
    if (!LabelSelector.matches(labels.success, row.labels) || !fields(row)) continue
    const item = metrics(row)
    if (item !== undefined) items.push(item)
  }
  return ok({ kind, apiVersion: GROUP_VERSION, metadata: {}, items })
}

const get = <A>(
  rows: Iterable<A>,
  isWanted: (row: A) => boolean,
  metrics: (row: A) => object | undefined,
  resource: string,
  name: string
): MetricsAnswer => {
  for (const row of rows) {
    const item = isWanted(row) ? metrics(row) : undefined
    if (item !== undefined) return ok(item)
  }
  return failure(404, "NotFound", `${resource}.${GROUP} "${name}" not found`, { name, group: GROUP, kind: resource })
}

/** Parses a field selector. Like metrics-server, it supports only name and namespace. */
const parseFields = (text: string): ((row: Row) => boolean) | undefined => {
  const requirements: Array<(row: Row) => boolean> = []
  for (const part of text.split(",").filter((part) => part !== "")) {
    const [, field, operator, value] = /^metadata\.(name|namespace)(==|=|!=)([a-z0-9.-]*)$/.exec(part) ?? []
    if (field === undefined) return undefined
    requirements.push((row) => ((field === "name" ? row.name : row.namespace) === value) === (operator !== "!="))
  }
  return (row) => requirements.every((holds) => holds(row))
}

const podMetrics = ({ inventory, seed }: MetricsSource, pod: PodRow, nowMs: number): object | undefined => {
  const running = containersOf(seed, inventory, pod).filter((part) => isRunning(part, nowMs))
  if (running.length === 0) return undefined
  return {
    kind: "PodMetrics",
    apiVersion: GROUP_VERSION,
    metadata: { ...metadata(pod, nowMs), namespace: pod.namespace },
    ...measured(nowMs),
    containers: running.map((part) => ({
      name: part.container.name,
      usage: usage(mean(part, cpu, nowMs), mean(part, memory, nowMs))
    }))
  }
}

const nodeMetrics = ({ inventory, seed }: MetricsSource, node: NodeRow, nowMs: number): object => {
  let cores = average(NODE_OVERHEAD.cpuCores, nowMs - WINDOW_MS, nowMs)
  let bytes = average(NODE_OVERHEAD.memoryBytes, nowMs - WINDOW_MS, nowMs)
  for (const pod of inventory.pods.rows()) {
    if (pod.node !== node.name) continue
    for (const part of containersOf(seed, inventory, pod)) {
      if (!isRunning(part, nowMs)) continue
      cores += mean(part, cpu, nowMs)
      bytes += mean(part, memory, nowMs)
    }
  }
  return {
    kind: "NodeMetrics",
    apiVersion: GROUP_VERSION,
    metadata: metadata(node, nowMs),
    ...measured(nowMs),
    usage: usage(cores, bytes)
  }
}

const cpu = ({ cpuCores }: ContainerUsage): Curve => cpuCores
const memory = ({ memoryBytes }: ContainerUsage): Curve => memoryBytes

/** Returns the mean over the window, or over the container's run if that is shorter. */
const mean = ({ fromMs, usage }: RunningContainer, of: (usage: ContainerUsage) => Curve, nowMs: number): number =>
  average(of(usage), Math.max(fromMs, nowMs - WINDOW_MS), nowMs)

const usage = (cores: number, bytes: number) => ({
  cpu: printNanocores(cores),
  memory: printKibibytes(bytes)
})

// metrics-server prints nanocores and kibibytes.
const printNanocores = (cores: number): string => `${Math.round(cores * 1e9)}n`
const printKibibytes = (bytes: number): string => `${Math.round(bytes / 1_024)}Ki`

const measured = (nowMs: number) => ({ timestamp: instant(nowMs), window: `${WINDOW_MS / 1_000}s` })

const metadata = ({ labels, name }: Row, nowMs: number) => ({ name, creationTimestamp: instant(nowMs), labels })

const version = { groupVersion: GROUP_VERSION, version: VERSION }
const group = { name: GROUP, versions: [version], preferredVersion: version }

const served = (name: string, kind: string, namespaced: boolean) => ({
  name,
  singularName: "",
  namespaced,
  kind,
  verbs: ["get", "list"]
})
const resources = {
  kind: "APIResourceList",
  apiVersion: "v1",
  groupVersion: GROUP_VERSION,
  resources: [served("nodes", "NodeMetrics", false), served("pods", "PodMetrics", true)]
}

const ok = (body: unknown): MetricsAnswer => ({ status: 200, body })

const failure = (code: number, reason: string, message: string, details: object = {}): MetricsAnswer => ({
  status: code,
  body: { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, reason, details, code }
})

const unknown = (): MetricsAnswer => failure(404, "NotFound", "the server could not find the requested resource")
