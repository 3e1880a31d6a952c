/** Counts watches that were reopened because the previous one broke. */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Metric } from "effect"

const reconnects = Metric.counter("quarterdeck_watch_reconnects_total", {
  description: "Watches that were reopened because the previous watch broke or failed",
  incremental: true
})

/** Returns the counter of one cluster. **Shape** a watch that the server ended on time is not counted. */
export const of = (cluster: ClusterName) => Metric.withAttributes(reconnects, { cluster })
