/**
 * Buttons for the actions of a workload. Viewers do not see them.
 */
import { Button, Group } from "@mantine/core"
import { useState } from "react"
import { type ActionName, actionsOf } from "../api/ActionQueries.ts"
import type { Workload } from "../api/WorkloadQueries.ts"
import { useCaller } from "../frame/Caller.ts"
import { ActionDialog, LABELS } from "./ActionDialog.tsx"

export const ActionButtons = ({ workload }: { readonly workload: Workload }) => {
  const { rule } = useCaller()
  const [chosen, setChosen] = useState<ActionName>()
  const actions = actionsOf({ kind: workload.kind, isPaused: workload.status === "paused" })
  if (rule.role === "Viewer" || actions.length === 0) return undefined
  return (
    <>
      <Group gap="xs" role="group" aria-label={`Actions of ${workload.name}`}>
        {actions.map((action) => (
          <Button key={action} size="xs" variant="default" onClick={() => setChosen(action)}>
            {LABELS[action]}
          </Button>
        ))}
      </Group>
      <ActionDialog action={chosen} workload={workload} onClose={() => setChosen(undefined)} />
    </>
  )
}
