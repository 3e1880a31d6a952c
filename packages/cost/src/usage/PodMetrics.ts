/**
 * Decodes a pod of `metrics.k8s.io`.
 *
 * **Source** `k8s.io/metrics/pkg/apis/metrics/v1beta1`.
 */
import { Quantity } from "@quarterdeck/cluster-fanout"
import type { KubeObject } from "@quarterdeck/cluster-fanout/KubeObject"
import { Option, Result, Schema } from "effect"
import { parseRfc3339 } from "../hour/Instant.ts"
import type { ContainerSample } from "./UsageSource.ts"

/** The samples of a pod's valid containers, and the number of invalid ones. */
export interface Read {
  readonly samples: ReadonlyArray<ContainerSample>
  readonly invalid: number
}

const decodePod = Schema.decodeUnknownOption(
  Schema.Struct({
    metadata: Schema.Struct({ name: Schema.NonEmptyString, namespace: Schema.NonEmptyString }),
    timestamp: Schema.String,
    window: Schema.String,
    containers: Schema.Array(Schema.Unknown)
  })
)

const decodeContainer = Schema.decodeUnknownOption(
  Schema.Struct({
    name: Schema.NonEmptyString,
    usage: Schema.Struct({ cpu: Schema.String, memory: Schema.String })
  })
)

/** Decodes one pod. Without name, timestamp or window, the pod counts as one invalid entry. */
export const read = (object: KubeObject): Read => {
  const pod = Option.getOrUndefined(decodePod(object))
  if (pod === undefined) return NONE
  const atMs = parseRfc3339(pod.timestamp)
  const windowMs = parseWindow(pod.window)
  if (atMs === undefined || windowMs === undefined) return NONE

  const samples: Array<ContainerSample> = []
  for (const entry of pod.containers) {
    const container = Option.getOrUndefined(decodeContainer(entry))
    if (container === undefined) continue
    const cpuMillis = parseCpuMillis(container.usage.cpu)
    const memoryBytes = Option.getOrUndefined(Result.getSuccess(Quantity.parseUnits(container.usage.memory)))
    if (cpuMillis === undefined || memoryBytes === undefined || cpuMillis < 0 || memoryBytes < 0) continue
    const { name, namespace } = pod.metadata
    samples.push({ namespace, pod: name, container: container.name, atMs, windowMs, cpuMillis, memoryBytes })
  }
  return { samples, invalid: pod.containers.length - samples.length }
}

const NONE: Read = { samples: [], invalid: 1 }

const NANOS = /^[0-9]{1,18}n$/
const MICROS = /^[0-9]{1,15}u$/

/** Parses CPU to millicores without rounding. Kubernetes rounds up, which would turn idle containers into whole millicores. */
export const parseCpuMillis = (text: string): number | undefined => {
  if (NANOS.test(text)) return Number(text.slice(0, -1)) / 1e6
  if (MICROS.test(text)) return Number(text.slice(0, -1)) / 1e3
  return Option.getOrUndefined(Result.getSuccess(Quantity.parseMillis(text)))
}

const WINDOW = /^(?:[0-9]{1,6}(?:\.[0-9]{1,12})?(?:h|m|s|ms|us|µs|ns))+$/
const PARTS = /([0-9]+(?:\.[0-9]+)?)(h|ms|m|s|us|µs|ns)/g
const UNIT_MS: Readonly<Record<string, number>> = {
  h: 3_600_000,
  m: 60_000,
  s: 1_000,
  ms: 1,
  us: 1e-3,
  µs: 1e-3,
  ns: 1e-6
}
const DAY_MS = 86_400_000

/** Parses a Go duration such as `15s` or `1m0.5s`. **Shape** `undefined` if invalid, 0, or longer than a day. */
export const parseWindow = (text: string): number | undefined => {
  if (text.length > 64 || !WINDOW.test(text)) return undefined
  let sum = 0
  for (const [, amount, unit = ""] of text.matchAll(PARTS)) sum += Number(amount) * (UNIT_MS[unit] ?? 0)
  return sum > 0 && sum <= DAY_MS ? sum : undefined
}
