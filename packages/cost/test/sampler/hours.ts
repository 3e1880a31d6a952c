/** A source of usage that knows whole hours. */
import { Effect, Stream } from "effect"
import type { HourFacts } from "../../src/allocation/HourFacts.ts"
import { HOUR_MS } from "../../src/hour/Units.ts"
import { UsageError } from "../../src/usage/UsageError.ts"
import type { Hourly } from "../../src/usage/UsageSource.ts"
import { a } from "./sampling.ts"

export const failure = new UsageError({ cluster: a, source: "prometheus", problem: "it is down" })

/** A source that tells of one container's hour, and of hours long ago. */
export const hourly = (isDown: () => boolean, past: Hourly["past"] = () => Stream.empty): Hourly => ({
  _tag: "Hourly",
  hour: (_, startMs) =>
    Effect.suspend(() =>
      isDown()
        ? Effect.fail(failure)
        : Effect.succeed({
            containers: [
              {
                namespace: "shop",
                pod: "web-1",
                container: "main",
                slices: {
                  fromMs: [startMs],
                  toMs: [startMs + HOUR_MS],
                  cpuMillis: [250],
                  memoryBytes: [128 * 1_024 ** 2]
                }
              }
            ],
            egress: [{ namespace: "shop", pod: "web-1", egress: { zoneKib: 0, regionKib: 0, internetKib: 2_048 } }]
          })
    ),
  past
})

/** An hour of the past with one pod. */
export const factsOf = (startMs: number): HourFacts => ({
  cluster: a,
  startMs,
  seen: [{ fromMs: startMs, toMs: startMs + HOUR_MS }],
  nodes: [
    {
      ...{
        name: "n1",
        uid: "m-1",
        labels: {},
        providerId: "",
        cpuMillis: 4_000,
        memoryBytes: 16 * 1_024 ** 3,
        gpus: 0
      },
      spans: [{ fromMs: startMs, toMs: startMs + HOUR_MS }]
    }
  ],
  pods: [
    {
      uid: "long-ago",
      namespace: "shop",
      name: "long-ago",
      node: "n1",
      workload: { namespace: "shop", kind: "Pod", name: "long-ago", uid: "long-ago", labels: {} },
      containers: [
        {
          name: "main",
          role: "main",
          runs: [{ fromMs: startMs, toMs: startMs + HOUR_MS }],
          cpuRequestMillis: 100,
          memoryRequestBytes: 1_024,
          gpus: 0,
          isOomKilled: false,
          usage: { fromMs: [startMs], toMs: [startMs + HOUR_MS], cpuMillis: [10], memoryBytes: [1_024] }
        }
      ],
      claims: []
    }
  ],
  volumes: [],
  loadBalancers: []
})
