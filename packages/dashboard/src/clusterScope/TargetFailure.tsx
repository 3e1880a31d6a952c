/**
 * The failure of a page for a choice of clusters. If the choice is the cause, a button shows all clusters instead.
 */
import { Button, Group, Text } from "@mantine/core"
import type { ApiFailure } from "../api/Client.ts"
import * as ClusterTarget from "../api/ClusterTarget.ts"
import { useTarget } from "./useTarget.ts"
import { FailureAlert } from "../feedback/FailureAlert.tsx"
import { clockTimeOf } from "../feedback/Instant.tsx"

/** Problem codes that another choice of clusters avoids. */
const OF_TARGET: ReadonlySet<string> = new Set(["cluster_not_found", "cluster_forbidden", "invalid_target"])

interface Props {
  readonly failure: ApiFailure
  readonly onRetry: () => void
  /** Time of the data that is still shown; absent if none is. **Units** milliseconds since the epoch. */
  readonly shownSinceMs?: number | undefined
}

export const TargetFailure = ({ failure, onRetry, shownSinceMs }: Props) => {
  const { setTarget, target } = useTarget()
  return (
    <FailureAlert failure={failure} onRetry={onRetry}>
      {shownSinceMs === undefined ? undefined : (
        <Text size="sm">The data shown is from {clockTimeOf(shownSinceMs)}.</Text>
      )}
      {OF_TARGET.has(failure.code) && target._tag !== "All" ? (
        <Group>
          <Button size="xs" onClick={() => setTarget(ClusterTarget.ALL)}>
            Show all clusters
          </Button>
        </Group>
      ) : undefined}
    </FailureAlert>
  )
}
