/**
 * A failure of a page that shows some clusters, with the way out where the choice of clusters is what failed.
 */
import { Button, Group, Text } from "@mantine/core"
import type { ApiFailure } from "../api/Client.ts"
import * as ClusterTarget from "../api/ClusterTarget.ts"
import { useTarget } from "./useTarget.ts"
import { FailureAlert } from "../feedback/FailureAlert.tsx"
import { clockTimeOf } from "../feedback/Instant.tsx"

/** Refusals that another choice of clusters mends. */
const OF_TARGET: ReadonlySet<string> = new Set(["cluster_not_found", "cluster_forbidden", "invalid_target"])

interface Props {
  readonly failure: ApiFailure
  readonly onRetry: () => void
  /** When what is still shown was read; absent where nothing is. **Units** milliseconds since the epoch. */
  readonly shownSinceMs?: number | undefined
}

export const TargetFailure = ({ failure, onRetry, shownSinceMs }: Props) => {
  const { setTarget, target } = useTarget()
  return (
    <FailureAlert failure={failure} onRetry={onRetry}>
      {shownSinceMs === undefined ? undefined : (
        <Text size="sm">What you see is from {clockTimeOf(shownSinceMs)}.</Text>
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
