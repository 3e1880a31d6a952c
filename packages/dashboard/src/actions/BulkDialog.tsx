/**
 * Shows what a change of many workloads would be, as their clusters judge it, and then what becomes of each.
 */
import { Button, Group, Modal, Stack, Text } from "@mantine/core"
import { useMediaQuery } from "@mantine/hooks"
import { type SyntheticEvent, useEffect, useRef, useState } from "react"
import type { ActionName } from "../api/ActionQueries.ts"
import { preview as previewOf } from "../api/BulkActions.ts"
import type { Outcome } from "../api/BulkCall.ts"
import { useAction } from "../api/useAction.ts"
import type { Workload } from "../api/WorkloadQueries.ts"
import { FailureAlert } from "../feedback/FailureAlert.tsx"
import { Loading } from "../feedback/PageState.tsx"
import * as Quantity from "../format/Quantity.ts"
import { LABELS } from "./ActionDialog.tsx"
import { isReplicas, ReplicasInput } from "./ReplicasInput.tsx"
import { begin, placeOf } from "./BulkRun.ts"
import { BulkTable } from "./BulkTable.tsx"
import { RunFoot, RunState } from "./RunState.tsx"
import { useBulkRun } from "./useBulkRun.ts"

const MEANINGS: Readonly<Record<ActionName, string>> = {
  scale: "Each gets or loses pods until it has so many.",
  restart: "The pods of each are replaced, a few at a time as its rollout says, by others like them.",
  pause: "The rollout of each stops where it is; of a CronJob, no job is begun.",
  resume: "The rollout of each goes on; of a CronJob, jobs are begun again."
}

/** What was chosen, of whom. **Shape** the list goes on beneath, and this stays what it was. */
export interface Chosen {
  readonly action: ActionName
  readonly workloads: ReadonlyArray<Workload>
}

interface Props {
  /** The dialog is closed without one. */
  readonly chosen: Chosen | undefined
  /** Called when the dialog closes; `isDone` once every workload was reported as changed. */
  readonly onClose: (isDone: boolean) => void
}

export const BulkDialog = ({ chosen, onClose }: Props) => {
  const isNarrow = useMediaQuery("(max-width: 48em)", false, { getInitialValueInEffect: false })
  // What is under way is left by its button, which says what that means; Escape and the cross do the same.
  const close = useRef(() => onClose(false))
  return (
    <Modal
      opened={chosen !== undefined}
      onClose={() => close.current()}
      title={
        chosen === undefined ? "" : `${LABELS[chosen.action]} ${Quantity.counted(chosen.workloads.length, "workload")}`
      }
      closeButtonProps={{ "aria-label": "Close" }}
      closeOnClickOutside={false}
      fullScreen={isNarrow}
      size="xl"
    >
      {chosen === undefined ? undefined : (
        <Form
          {...chosen}
          onClose={onClose}
          onCloseAsked={(ask) => {
            close.current = ask
          }}
        />
      )}
    </Modal>
  )
}

type Preview = ReadonlyMap<string, Outcome>

/** What the dry run of a change says. **Shape** what needs no number is asked at once. */
const usePreview = (action: ActionName, workloads: ReadonlyArray<Workload>) => {
  const [replicas, setReplicas] = useState<number | string>("")
  const [outcomes, setOutcomes] = useState<Preview>()
  const { clear, failure, isRunning, run } = useAction()
  const controller = useRef<AbortController>(undefined)
  const isWhole = action !== "scale" || isReplicas(replicas)
  const change = { action, replicas: typeof replicas === "number" ? replicas : 0 }

  const show = () => {
    controller.current?.abort()
    const mine = new AbortController()
    controller.current = mine
    setOutcomes(undefined)
    void run(async () => {
      const told = await previewOf(change, workloads, mine.signal)
      setOutcomes(new Map(told.map((outcome) => [placeOf(outcome), outcome])))
    })
  }
  const take = (value: number | string) => {
    setReplicas(value)
    setOutcomes(undefined)
    clear()
  }
  const isShown = useRef(false)
  useEffect(() => {
    if (action === "scale" || isShown.current) return
    isShown.current = true
    show()
  })
  return { replicas, take, isWhole, change, outcomes, show, failure, isRunning }
}

interface FormProps extends Chosen {
  readonly onClose: (isDone: boolean) => void
  /** Is given what is to happen when somebody closes the dialog from outside. */
  readonly onCloseAsked: (ask: () => void) => void
}

const Form = ({ action, onClose, onCloseAsked, workloads }: FormProps) => {
  const preview = usePreview(action, workloads)
  const { change, isWhole, outcomes } = preview
  const progress = useBulkRun()
  const { leave, run } = progress
  const changed = workloads.filter((workload) => outcomes?.get(placeOf(workload))?.status === "dryRun")
  const isRunning = run?.phase === "running"
  useEffect(() => {
    onCloseAsked(isRunning ? leave : () => onClose(false))
  })

  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    if (run !== undefined || preview.isRunning) return
    if (outcomes === undefined) {
      if (isWhole) preview.show()
    } else if (changed.length > 0) progress.start(begin({ change, workloads: changed }))
  }
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <Text size="sm">{MEANINGS[action]}</Text>
        {action === "scale" && run === undefined ? (
          <ReplicasInput label="Replicas of each" value={preview.replicas} mayBeEmpty onChange={preview.take} />
        ) : undefined}
        {preview.isRunning ? <Loading what="what would change" /> : undefined}
        {preview.failure === undefined ? undefined : <FailureAlert failure={preview.failure} onRetry={preview.show} />}
        {outcomes === undefined || run !== undefined ? undefined : (
          <Text size="sm" role="status">
            Nothing is changed yet. It can be done to {Quantity.count(changed.length)} of{" "}
            {Quantity.counted(workloads.length, "workload")}
            {changed.length < workloads.length ? "; the others are left out" : ""}.
          </Text>
        )}
        {run === undefined ? undefined : <RunState progress={progress} run={run} workloads={changed} />}
        {preview.isRunning ? undefined : (
          <BulkTable change={change} workloads={workloads} preview={outcomes} run={run} />
        )}
        {run === undefined ? (
          <Group justify="flex-end">
            <Button variant="default" onClick={() => onClose(false)}>
              Leave it
            </Button>
            {outcomes === undefined ? (
              <Button type="submit" disabled={!isWhole} loading={preview.isRunning}>
                Show what would change
              </Button>
            ) : (
              <Button type="submit" disabled={changed.length === 0}>
                {LABELS[action]} {Quantity.counted(changed.length, "workload")}
              </Button>
            )}
          </Group>
        ) : (
          <RunFoot progress={progress} run={run} workloads={changed} onClose={onClose} />
        )}
      </Stack>
    </form>
  )
}
