/**
 * Buttons for the actions of a workload. Viewers do not see them.
 */
import { Button, Group, Text } from "@mantine/core"
import { useId } from "@mantine/hooks"
import { useState } from "react"
import { type ActionName, actionsOf } from "../api/ActionQueries.ts"
import type { Workload } from "../api/WorkloadQueries.ts"
import { useCaller } from "../frame/Caller.ts"
import { ActionDialog, LABELS } from "./ActionDialog.tsx"

interface Props {
  readonly workload: Workload
  /** Reason why the workload cannot be changed now. Absent if it can be changed. */
  readonly refusal: string | undefined
}

export const ActionButtons = ({ refusal, workload }: Props) => {
  const id = useId()
  const { rule } = useCaller()
  const [chosen, setChosen] = useState<ActionName>()
  const actions = actionsOf({ kind: workload.kind, isPaused: workload.status === "paused" })
  if (rule.role === "Viewer" || actions.length === 0) return undefined
  return (
    <>
      <Group gap="xs" role="group" aria-label={`Actions of ${workload.name}`}>
        {actions.map((action) => (
          <Button
            key={action}
            size="xs"
            variant="default"
            disabled={refusal !== undefined}
            aria-describedby={refusal === undefined ? undefined : id}
            onClick={() => setChosen(action)}
          >
            {LABELS[action]}
          </Button>
        ))}
        {refusal === undefined ? undefined : (
          <Text size="sm" c="dimmed" id={id}>
            {refusal}
          </Text>
        )}
      </Group>
      <ActionDialog action={chosen} workload={workload} onClose={() => setChosen(undefined)} />
    </>
  )
}
