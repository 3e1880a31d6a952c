/**
 * Whether a cluster answers, apart from the health of its workloads.
 */
import { Text } from "@mantine/core"
import type { Cluster } from "../api/Shapes.ts"
import { healthOf, wordOf } from "../clusterScope/CoverageText.ts"
import { sinceTextOf } from "../format/SinceText.ts"

const DOTS = { ok: "teal", incomplete: "yellow", stale: "red", missing: "red", left: "gray" } as const

export const Reachability = ({ cluster: { coverage, lastSeen } }: { readonly cluster: Cluster }) => {
  const health = healthOf(coverage)
  const isGone = health === "stale" || health === "missing"
  return (
    <Text span size="sm" className={isGone ? undefined : "qd-number"} data-health={health}>
      <span className={`qd-dot qd-dot-${DOTS[health]}`} aria-hidden="true" /> {wordOf(coverage)}
      {isGone && lastSeen !== null ? ` since ${sinceTextOf(Date.parse(lastSeen), new Date().getTime())}` : ""}
    </Text>
  )
}
