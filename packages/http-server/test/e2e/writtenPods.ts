/** Pods of the embedded cluster that have written something. */
import { type Fleet, Seed } from "@quarterdeck/harness"
import { Effect } from "effect"

/** A pod on the node `n1`, with the log of each of its containers. */
export const podOf = (name: string, namespace: string, logs: Readonly<Record<string, string>>) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name,
    namespace,
    annotations: Object.fromEntries(
      Object.entries(logs).map(([container, log]) => [`log.harness.quarterdeck.dev/${container}`, log])
    )
  },
  spec: { nodeName: "n1", containers: Object.keys(logs).map((container) => ({ name: container, image: "acme/web:1" })) }
})

/** Fills a fleet, and its child `prod` with the pod `written` in `shop`. */
export const fillWritten = Effect.fnUntraced(function* (fleet: Fleet["Service"]) {
  yield* Seed.fill(fleet)
  const { api } = yield* fleet.cluster("prod")
  yield* api.create(podOf("written", "shop", { main: "a line" }))
})
