import { Badge, Box } from "@mantine/core"
import type { Cluster } from "../api/Shapes.ts"
import { COLORS, healthOf, wordOf } from "../clusterScope/CoverageText.ts"

export const HealthBadge = ({ cluster: { coverage } }: { readonly cluster: Cluster }) => {
  const health = healthOf(coverage)
  return (
    <Badge
      variant="default"
      tt="none"
      fw={500}
      data-health={health}
      leftSection={<Box className="qd-dot" bg={`${COLORS[health]}.6`} />}
    >
      {health === "ok" ? "healthy" : wordOf(coverage)}
    </Badge>
  )
}
