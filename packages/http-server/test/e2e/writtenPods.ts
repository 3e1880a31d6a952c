/** Pods of the embedded cluster that have written something. */

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
