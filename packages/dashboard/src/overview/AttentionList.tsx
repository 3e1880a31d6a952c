/**
 * List of failed and degraded workloads with their reasons.
 */
import { Text, VisuallyHidden } from "@mantine/core"
import { Link } from "react-router"
import type { Overview } from "../api/OverviewQueries.ts"
import type { LastKnown } from "../clusterScope/LastKnown.ts"
import { useTarget } from "../clusterScope/useTarget.ts"
import { PlainTimestamp } from "../feedback/Instant.tsx"
import { StatusMark } from "../feedback/StatusMark.tsx"
import * as Quantity from "../format/Quantity.ts"
import { workloadPlace } from "../frame/places.ts"

interface Props {
  readonly workloads: Overview["attention"]
  /** Clusters that do not answer, with the age of their rows. */
  readonly lastKnown: LastKnown
}

export const AttentionList = ({ lastKnown, workloads }: Props) => {
  const { linkTo } = useTarget()
  return (
    <ul className="qd-attention" aria-label="Workloads that need attention">
      {workloads.map((workload) => {
        const { cluster, id, kind, name, namespace, reason, replicas, since, status } = workload
        const age = lastKnown.get(cluster)
        return (
          <li
            key={`${cluster}/${id}`}
            data-attention={name}
            className={age === undefined ? undefined : "qd-last-known"}
          >
            <div className="qd-text">
              <Link to={linkTo(workloadPlace(workload))} className="qd-name">
                {name}
              </Link>
              <Text size="xs" c="dimmed">
                {kind} in {namespace} of {cluster}
              </Text>
            </div>
            <div className="qd-text">
              <Text size="sm" fw={600}>
                {reason ?? "No reason given"}
              </Text>
              <Text size="xs" c="dimmed" component="div">
                <StatusMark status={status} />
                {age === undefined ? undefined : `, last known, ${age}`}
              </Text>
            </div>
            <Text size="sm" component="div" className="qd-number">
              {kind === "Job"
                ? undefined
                : `${Quantity.count(replicas.ready)} of ${Quantity.count(replicas.desired)} ready`}
            </Text>
            <Text size="sm" component="div" c="dimmed">
              {since === undefined ? undefined : (
                <>
                  <VisuallyHidden>since </VisuallyHidden>
                  <PlainTimestamp at={since} />
                </>
              )}
            </Text>
          </li>
        )
      })}
    </ul>
  )
}
