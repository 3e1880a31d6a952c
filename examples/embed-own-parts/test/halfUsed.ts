import type { HourFacts } from "@quarterdeck/cost"
import { HOUR_MS } from "@quarterdeck/cost/Units"
import { ClusterName } from "@quarterdeck/targeting/ClusterName"

const GIB_BYTES = 2 ** 30

/** An hour in which one pod used half of the 500 millicores and 2 GiB that it requested. */
export const halfUsed = (startMs: number): HourFacts.HourFacts => {
  const hour = { fromMs: startMs, toMs: startMs + HOUR_MS }
  const workload = { namespace: "shop", kind: "Deployment", name: "cart", uid: "u-1", labels: {} }
  const usage = {
    fromMs: [hour.fromMs],
    toMs: [hour.toMs],
    cpuMillis: [250],
    memoryBytes: [GIB_BYTES]
  }
  return {
    cluster: ClusterName.make("hub"),
    startMs,
    seen: [hour],
    nodes: [
      {
        name: "n1",
        uid: "n-1",
        labels: {},
        providerId: "",
        spans: [hour],
        cpuMillis: 2_000,
        memoryBytes: 8 * GIB_BYTES,
        gpus: 0
      }
    ],
    pods: [
      {
        uid: "p-1",
        namespace: "shop",
        name: "cart-1",
        node: "n1",
        workload,
        claims: [],
        containers: [
          {
            name: "main",
            role: "main",
            runs: [hour],
            usage,
            isOomKilled: false,
            cpuRequestMillis: 500,
            memoryRequestBytes: 2 * GIB_BYTES,
            gpus: 0
          }
        ]
      }
    ],
    volumes: [],
    loadBalancers: []
  }
}
