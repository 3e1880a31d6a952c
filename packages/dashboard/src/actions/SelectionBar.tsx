/**
 * What can be done with the workloads that are selected, beneath the list as long as some are.
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

/** What at least one of the workloads takes. */
const offered = (workloads: ReadonlyArray<Workload>): ReadonlyArray<ActionName> => {
  const some = new Set(workloads.flatMap(({ kind, status }) => actionsOf({ kind, isPaused: status === "paused" })))
  return ACTIONS.filter((action) => some.has(action))
}

interface Props {
  readonly selection: WorkloadSelection
  /** How many rows are shown. */
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
            {isTooMany ? `, ${Quantity.count(MAX_TARGETS)} at most are changed at once` : ""}
          </Text>
          {offered(selected).map((one) => (
            <Button
              key={one}
              size="xs"
              variant="default"
              disabled={isTooMany}
              onClick={() => setChosen({ action: one, workloads: selected })}
            >
              {LABELS[one]}
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
