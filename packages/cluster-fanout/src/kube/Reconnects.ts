/** Counts the watches that were opened again because the one before broke. */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Metric } from "effect"

const reconnects = Metric.counter("quarterdeck_watch_reconnects_total", {
  description: "Watches that were opened again because the one before broke or failed",
  incremental: true
})

/** Makes the counter of one cluster. **Shape** a watch that the server ended in time counts as none. */
export const of = (cluster: ClusterName) => Metric.withAttributes(reconnects, { cluster })
