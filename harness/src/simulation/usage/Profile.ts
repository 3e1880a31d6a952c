/**
 * The usage of a workload's containers: curves derived from a seed and a name, so that every reader computes the same
 * curves.
 */
import { createHash } from "node:crypto"
import { PREFIX } from "../kubelet/PodScript.ts"
import { type Curve, flat, highest, scale } from "./Curve.ts"
import * as CurveText from "./CurveText.ts"

/** Annotations of a pod that set a curve. With the suffix `.<container>` they apply to that container only. */
export const Annotation = {
  cpu: `${PREFIX}usage-cpu`,
  memory: `${PREFIX}usage-memory`
} as const

/** The names from which a container's usage is derived. Every replica of a workload has the same usage. */
export interface Identity {
  readonly namespace: string
  readonly kind: string
  readonly name: string
  readonly container: string
}

/** Requests and limits of a container. A limit caps its curve. */
export interface Bounds {
  readonly cpuRequestCores?: number
  readonly cpuLimitCores?: number
  readonly memoryRequestBytes?: number
  readonly memoryLimitBytes?: number
}

/** The shape of a workload's usage. */
export type Behaviour = "flat" | "wave" | "spike" | "leak" | "idle"

/** The curves of one container. */
export interface ContainerUsage {
  readonly cpuCores: Curve
  readonly memoryBytes: Curve
  /** Bytes per second. */
  readonly networkReceiveRate: Curve
  readonly networkTransmitRate: Curve
  readonly filesystemBytes: Curve
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const MIB = 2 ** 20
const DEFAULT_CORES = 0.1
const DEFAULT_BYTES = 128 * MIB
/** Received bytes per core-second, and transmitted bytes per received byte. */
const BYTES_PER_CORE_SECOND = 2_000_000
const TRANSMIT_RATIO = 1.5

/** Cumulative percentages: 30 % of the workloads are flat, 30 % follow the day, and so on. */
const SHARES: ReadonlyArray<readonly [Behaviour, number]> = [
  ["flat", 30],
  ["wave", 60],
  ["spike", 75],
  ["leak", 85],
  ["idle", 100]
]

/** Returns the behaviour of a workload. All its containers share it. */
export const behaviourOf = (seed: number, { kind, name, namespace }: Omit<Identity, "container">): Behaviour => {
  const { share } = chances(`${seed}/${namespace}/${kind}/${name}`)
  return SHARES.find(([, below]) => share < below)?.[0] ?? "flat"
}

/**
 * Returns the curves of a container.
 *
 * Levels are proportional to the container's requests (default 100m and 128Mi) and capped by its limits. Network and
 * file system follow from CPU and memory. Annotations take precedence; an invalid one is ignored.
 */
export const assign = (
  seed: number,
  identity: Identity,
  bounds: Bounds,
  annotations: Readonly<Record<string, string>> = {}
): ContainerUsage => {
  const relative = relativeCurves(behaviourOf(seed, identity), chances(Object.values({ seed, ...identity }).join("/")))
  const cpu = scale(relative.cpu, bounds.cpuRequestCores ?? DEFAULT_CORES)
  const memory = scale(relative.memory, bounds.memoryRequestBytes ?? DEFAULT_BYTES)
  const cpuCores = annotated(annotations, Annotation.cpu, identity) ?? capped(cpu, bounds.cpuLimitCores)
  const memoryBytes = annotated(annotations, Annotation.memory, identity) ?? capped(memory, bounds.memoryLimitBytes)
  const networkReceiveRate = scale(cpuCores, BYTES_PER_CORE_SECOND)
  return {
    cpuCores,
    memoryBytes,
    networkReceiveRate,
    networkTransmitRate: scale(networkReceiveRate, TRANSMIT_RATIO),
    filesystemBytes: flat(Math.round(highest(memoryBytes) / 4))
  }
}

const annotated = (
  annotations: Readonly<Record<string, string>>,
  annotation: string,
  { container }: Identity
): Curve | undefined => {
  const text = annotations[`${annotation}.${container}`] ?? annotations[annotation]
  return text === undefined ? undefined : CurveText.parse(text)
}

const capped = (curve: Curve, limit: number | undefined): Curve => {
  const top = highest(curve)
  return limit === undefined || top <= limit ? curve : scale(curve, limit / top)
}

/** Pseudo-random numbers between 0 and 1 derived from a text, and a percentage. */
interface Chances {
  readonly share: number
  readonly level: number
  readonly height: number
  readonly time: number
}

const chances = (text: string): Chances => {
  const digest = createHash("sha256").update(text).digest()
  const part = (index: number) => digest.readUInt32LE(index * 4) / 2 ** 32
  return { share: digest.readUInt32LE(0) % 100, level: part(1), height: part(2), time: part(3) }
}

const between = (low: number, high: number, chance: number): number => low + (high - low) * chance

/** Returns the curves of a container that requests one core and one byte. */
const relativeCurves = (
  behaviour: Behaviour,
  { height, level, time }: Chances
): { readonly cpu: Curve; readonly memory: Curve } => {
  const offsetMs = Math.floor(time * HOUR_MS)
  const steady = flat(between(0.4, 0.8, height))
  switch (behaviour) {
    case "flat":
      return { cpu: flat(between(0.2, 0.8, level)), memory: steady }
    case "wave": {
      // Peaks between 9:00 and 21:00 UTC: shops are busy by day.
      const peakMs = Math.floor(between(9, 21, time)) * HOUR_MS
      const wave = (low: number, high: number): Curve => ({ _tag: "Wave", low, high, periodMs: DAY_MS, peakMs })
      return {
        cpu: wave(between(0.1, 0.3, level), between(0.6, 1.2, height)),
        memory: wave(between(0.4, 0.5, level), between(0.6, 0.9, height))
      }
    }
    case "spike": {
      const timing = { periodMs: HOUR_MS, forMs: 5 * 60_000, offsetMs }
      return {
        cpu: { _tag: "Spike", low: between(0.1, 0.2, level), high: between(1, 1.8, height), ...timing },
        memory: { _tag: "Spike", low: between(0.3, 0.5, level), high: between(0.7, 1.1, height), ...timing }
      }
    }
    case "leak": {
      const periodMs = Math.floor(between(6, 25, height)) * HOUR_MS
      return {
        cpu: flat(between(0.2, 0.5, level)),
        memory: { _tag: "Leak", low: between(0.3, 0.5, level), high: between(0.9, 1.2, height), periodMs, offsetMs }
      }
    }
    case "idle":
      return { cpu: flat(between(0.005, 0.03, level)), memory: flat(between(0.05, 0.15, height)) }
  }
}
