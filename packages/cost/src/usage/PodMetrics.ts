/**
 * Reads what `metrics.k8s.io` tells of a pod.
 *
 * **Source** `k8s.io/metrics/pkg/apis/metrics/v1beta1`.
 */
import { Quantity } from "@quarterdeck/cluster-fanout"
import type { KubeObject } from "@quarterdeck/cluster-fanout/KubeObject"
import { Option, Result, Schema } from "effect"
import { parseRfc3339 } from "../hour/Instant.ts"
import type { ContainerSample } from "./UsageSource.ts"

/** The containers of a pod that could be read, and how many could not. */
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

/**
 * Reads one pod.
 *
 * A pod without name, instant or window counts as one that could not be read, whatever its containers say.
 */
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

/**
 * Reads thousandths of a core with their fractions: quantities round them up, and an idle container's few hundred
 * thousand nanocores would all count as one.
 */
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

/** Reads a length as Go prints it: `15s`, `1m0.5s`. More than nothing and at most a day; else `undefined`. */
export const parseWindow = (text: string): number | undefined => {
  if (text.length > 64 || !WINDOW.test(text)) return undefined
  let sum = 0
  for (const [, amount, unit = ""] of text.matchAll(PARTS)) sum += Number(amount) * (UNIT_MS[unit] ?? 0)
  return sum > 0 && sum <= DAY_MS ? sum : undefined
}
