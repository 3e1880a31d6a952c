/**
 * The health of what runs in a cluster, apart from whether the cluster answers.
 */
import { Anchor, Text } from "@mantine/core"
import { Link } from "react-router"
import * as ClusterTarget from "../api/ClusterTarget.ts"
import type { Cluster } from "../api/Shapes.ts"
import * as Quantity from "../format/Quantity.ts"
import { PLACES } from "../frame/places.ts"

/** "healthy", or the number of failed and degraded workloads as a link to them. */
export const ClusterHealth = ({ cluster: { name, unhealthyWorkloads: count } }: { readonly cluster: Cluster }) => {
  if (count === null) return <Text size="sm">{Quantity.UNKNOWN}</Text>
  const search = ClusterTarget.write(new URLSearchParams("status=failed&status=degraded"), ClusterTarget.named([name]))
  return (
    <Text size="sm" component="span" className="qd-number">
      <span className={`qd-dot qd-dot-${count === 0 ? "teal" : "orange"}`} aria-hidden="true" />{" "}
      {count === 0 ? (
        "healthy"
      ) : (
        <Anchor component={Link} to={`${PLACES.workloads}?${search}`} inherit c="inherit" underline="always">
          {Quantity.count(count)} {count === 1 ? "needs" : "need"} attention
        </Anchor>
      )}
    </Text>
  )
}
