/**
 * The facts that a sampler has collected of a cluster at the end of an hour: pods and their usage by the minute.
 *
 * The numbers are the same in every run, as in {@link History}.
 */
import type { HourFacts } from "@quarterdeck/cost"
import * as History from "./history.ts"

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000
const MINUTES = 60
const MIB = 1_048_576
const PODS_A_NODE = 100
const REPLICAS = 5

/** Makes the hours of a cluster with the given number of workloads, on average three pods each. */
export const make = (workloads: number, startMs: number) => {
  const series = Array.from({ length: workloads }, (_, workload) => History.seriesOf(workload, 0))
  const pods = series.flatMap((workload, place) =>
    Array.from({ length: 1 + (place % REPLICAS) }, (_, replica) => ({ workload, place, replica }))
  )

  /** Returns the facts of an hour. */
  const factsOf = (index: number): HourFacts.HourFacts => {
    const fromMs = startMs + index * HOUR_MS
    const whole = [{ fromMs, toMs: fromMs + HOUR_MS }]
    const minutes = Array.from({ length: MINUTES }, (_, minute) => fromMs + minute * MINUTE_MS)
    const ends = minutes.map((ms) => ms + MINUTE_MS)
    const nodes = Array.from({ length: Math.ceil(pods.length / PODS_A_NODE) }, (_, node) => ({
      name: nodeName(node),
      uid: nodeName(node),
      labels: { "node.kubernetes.io/instance-type": "m5.24xlarge", "topology.kubernetes.io/region": "eu-1" },
      providerId: "aws:///eu-1a/i-0abc",
      cpuMillis: 96_000,
      memoryBytes: 384 * 1_024 * MIB,
      gpus: 0,
      spans: whole
    }))
    return {
      cluster: History.clusterName(0),
      startMs: fromMs,
      seen: whole,
      nodes,
      pods: pods.map(({ place, replica, workload }, number) => ({
        uid: `${workload.name}-${replica}`,
        namespace: workload.namespace,
        name: `${workload.name}-${replica}`,
        node: nodeName(Math.floor(number / PODS_A_NODE)),
        workload,
        containers: [
          {
            name: "main",
            role: "main",
            runs: whole,
            cpuRequestMillis: 50 * (1 + (place % 20)),
            memoryRequestBytes: 64 * MIB * (1 + (place % 30)),
            gpus: 0,
            isOomKilled: false,
            usage: { fromMs: minutes, toMs: ends, ...usageOf(place, replica, index) }
          }
        ],
        claims: []
      })),
      volumes: [],
      loadBalancers: []
    }
  }

  return { factsOf, pods: pods.length }
}

const nodeName = (node: number): string => `node-${node}`

/** Returns a container's usage in each minute: about half of its requests, in daily waves. */
const usageOf = (place: number, replica: number, index: number) => {
  const cpuMillis = new Float64Array(MINUTES)
  const memoryBytes = new Float64Array(MINUTES)
  const wave = 1 + 0.4 * Math.sin((index / 24) * 2 * Math.PI + place)
  const cpu = 25 * (1 + (place % 20)) * wave
  const memory = 40 * MIB * (1 + (place % 30))
  for (let minute = 0; minute < MINUTES; minute++) {
    const noise = ((place * 31 + replica * 17 + index * 7 + minute * 13) % 97) / 97
    cpuMillis[minute] = Math.round(cpu * (0.5 + noise))
    memoryBytes[minute] = Math.round(memory * (0.9 + 0.2 * noise))
  }
  return { cpuMillis, memoryBytes }
}
