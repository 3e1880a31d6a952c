/**
 * The health of what runs in a cluster, apart from whether the cluster answers.
 */
import { Anchor } from "@mantine/core"
import { Link } from "react-router"
import * as ClusterTarget from "../api/ClusterTarget.ts"
import type { Cluster } from "../api/Shapes.ts"
import * as Quantity from "../format/Quantity.ts"
import { PLACES } from "../frame/places.ts"

/** "healthy", or the number of failed and degraded workloads as a link to them. */
export const ClusterHealth = ({ cluster: { name, unhealthyWorkloads } }: { readonly cluster: Cluster }) => {
  if (unhealthyWorkloads === null) return <span>{Quantity.UNKNOWN}</span>
  if (unhealthyWorkloads === 0) {
    return (
      <span>
        <span className="qd-dot qd-dot-teal" aria-hidden="true" /> healthy
      </span>
    )
  }
  const search = ClusterTarget.write(new URLSearchParams("status=failed&status=degraded"), ClusterTarget.named([name]))
  return (
    <Anchor component={Link} to={`${PLACES.workloads}?${search}`} size="sm" c="inherit" underline="always">
      <span className="qd-dot qd-dot-orange" aria-hidden="true" />{" "}
      {Quantity.counted(unhealthyWorkloads, "bad workload")}
    </Anchor>
  )
}
