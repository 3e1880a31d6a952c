/**
 * Dialog of an action on many workloads: the preview by a dry run, then the outcome of each workload.
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
  scale: "Pods of each are added or removed until it has this number.",
  restart: "The pods of each are replaced by new ones, a few at a time as its rollout strategy says.",
  pause: "The rollout of each stops where it is. A CronJob starts no more jobs.",
  resume: "The rollout of each continues. A CronJob starts jobs again."
}

/** Snapshot of the chosen action and its workloads. Later changes of the list do not affect it. */
export interface Chosen {
  readonly action: ActionName
  readonly workloads: ReadonlyArray<Workload>
}

interface Props {
  /** The dialog is open while this is set. */
  readonly chosen: Chosen | undefined
  /** Called when the dialog closes. `isDone` is true if every workload was changed. */
  readonly onClose: (isDone: boolean) => void
}

export const BulkDialog = ({ chosen, onClose }: Props) => {
  const isNarrow = useMediaQuery("(max-width: 48em)", false, { getInitialValueInEffect: false })
  // While a change runs, Escape and the close button act like "Stop watching".
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
          onCloseHandler={(handler) => {
            close.current = handler
          }}
        />
      )}
    </Modal>
  )
}

type Preview = ReadonlyMap<string, Outcome>

/** State of the dry run. **Shape** actions without a number are previewed when the dialog opens. */
const usePreview = (action: ActionName, workloads: ReadonlyArray<Workload>) => {
  const [replicas, setReplicas] = useState<number | string>("")
  const [outcomes, setOutcomes] = useState<Preview>()
  const { clear, failure, isRunning, run } = useAction()
  const controller = useRef<AbortController>(undefined)
  const isValid = action !== "scale" || isReplicas(replicas)
  const change = { action, replicas: typeof replicas === "number" ? replicas : 0 }

  const show = () => {
    controller.current?.abort()
    const mine = new AbortController()
    controller.current = mine
    setOutcomes(undefined)
    void run(async () => {
      const outcomes = await previewOf(change, workloads, mine.signal)
      setOutcomes(new Map(outcomes.map((outcome) => [placeOf(outcome), outcome])))
    })
  }
  const changeReplicas = (value: number | string) => {
    setReplicas(value)
    setOutcomes(undefined)
    clear()
  }
  const hasPreview = useRef(false)
  useEffect(() => {
    if (action === "scale" || hasPreview.current) return
    hasPreview.current = true
    show()
  })
  return { replicas, changeReplicas, isValid, change, outcomes, show, failure, isRunning }
}

interface FormProps extends Chosen {
  readonly onClose: (isDone: boolean) => void
  /** Receives the handler for Escape and the close button. */
  readonly onCloseHandler: (handler: () => void) => void
}

const Form = ({ action, onClose, onCloseHandler, workloads }: FormProps) => {
  const preview = usePreview(action, workloads)
  const { change, isValid, outcomes } = preview
  const progress = useBulkRun()
  const { leave, run } = progress
  const changed = workloads.filter((workload) => outcomes?.get(placeOf(workload))?.status === "dryRun")
  const isRunning = run?.phase === "running"
  useEffect(() => {
    onCloseHandler(isRunning ? leave : () => onClose(false))
  })

  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    if (run !== undefined || preview.isRunning) return
    if (outcomes === undefined) {
      if (isValid) preview.show()
    } else if (changed.length > 0) progress.start(begin({ change, workloads: changed }))
  }
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <Text size="sm">{MEANINGS[action]}</Text>
        {action === "scale" && run === undefined ? (
          <ReplicasInput
            label="Replicas for each"
            value={preview.replicas}
            mayBeEmpty
            onChange={preview.changeReplicas}
          />
        ) : undefined}
        {preview.isRunning ? <Loading what="the preview" /> : undefined}
        {preview.failure === undefined ? undefined : <FailureAlert failure={preview.failure} onRetry={preview.show} />}
        {outcomes === undefined || run !== undefined ? undefined : (
          <Text size="sm" role="status">
            Nothing is changed yet. The change applies to {Quantity.count(changed.length)} of{" "}
            {Quantity.counted(workloads.length, "workload")}
            {changed.length < workloads.length ? "; the others are skipped" : ""}.
          </Text>
        )}
        {run === undefined ? undefined : <RunState progress={progress} run={run} workloads={changed} />}
        {preview.isRunning ? undefined : (
          <BulkTable change={change} workloads={workloads} preview={outcomes} run={run} />
        )}
        {run === undefined ? (
          <Group justify="flex-end">
            <Button variant="default" onClick={() => onClose(false)}>
              Cancel
            </Button>
            {outcomes === undefined ? (
              <Button type="submit" disabled={!isValid} loading={preview.isRunning}>
                Preview
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
