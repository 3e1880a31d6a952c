/**
 * Bar below the list with the actions of the selected workloads.
 */
import { Button, Group, Paper, Text } from "@mantine/core"
import { Suspense, useState } from "react"
import { ACTIONS, type ActionName, actionsOf } from "../api/ActionQueries.ts"
import { MAX_TARGETS } from "../api/BulkCall.ts"
import type { Workload } from "../api/WorkloadQueries.ts"
import { lazyPart } from "../frame/lazyPart.ts"
import * as Quantity from "../format/Quantity.ts"
import { LABELS } from "./ActionDialog.tsx"
import type { Chosen } from "./BulkDialog.tsx"
import type { WorkloadSelection } from "./useSelection.ts"

const BulkDialog = lazyPart("BulkDialog", () => import("./BulkDialog.tsx"))

/** Returns the actions that at least one of the workloads supports. */
const supportedActions = (workloads: ReadonlyArray<Workload>): ReadonlyArray<ActionName> => {
  const some = new Set(workloads.flatMap(({ kind, status }) => actionsOf({ kind, isPaused: status === "paused" })))
  return ACTIONS.filter((action) => some.has(action))
}

interface Props {
  readonly selection: WorkloadSelection
  /** Number of shown rows. */
  readonly shown: number
}

export const SelectionBar = ({ selection: { clear, isAll, selected, setAll }, shown }: Props) => {
  const [chosen, setChosen] = useState<Chosen>()
  const isTooMany = selected.length > MAX_TARGETS
  const close = (isDone: boolean) => {
    setChosen(undefined)
    if (isDone) clear()
  }
  if (selected.length === 0 && chosen === undefined) return undefined
  return (
    <>
      <div className="qd-selection-room" />
      <Paper
        withBorder
        shadow="md"
        p="sm"
        className="qd-selection"
        role="region"
        aria-label="Selected workloads"
        data-selection
      >
        <Group gap="xs">
          <Text size="sm" fw={600} role="status">
            {Quantity.count(selected.length)} selected
            {isTooMany ? `; you can change ${Quantity.count(MAX_TARGETS)} at most at once` : ""}
          </Text>
          {supportedActions(selected).map((action) => (
            <Button
              key={action}
              size="xs"
              variant="default"
              disabled={isTooMany}
              onClick={() => setChosen({ action, workloads: selected })}
            >
              {LABELS[action]}
            </Button>
          ))}
          {isAll ? undefined : (
            <Button size="xs" variant="subtle" onClick={() => setAll(true)}>
              Select all {Quantity.count(shown)} shown
            </Button>
          )}
          <Button size="xs" variant="subtle" onClick={clear}>
            Clear
          </Button>
        </Group>
      </Paper>
      <Suspense fallback={undefined}>
        {chosen === undefined ? undefined : <BulkDialog chosen={chosen} onClose={close} />}
      </Suspense>
    </>
  )
}
