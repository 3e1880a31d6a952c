/**
 * Progress and result of a bulk action, and the buttons for what remains.
 */
import { Alert, Button, Group, Progress, Stack, Text } from "@mantine/core"
import { useEffect, useRef } from "react"
import { FailureAlert } from "../feedback/FailureAlert.tsx"
import type { WorkloadName } from "../api/WorkloadQueries.ts"
import * as Quantity from "../format/Quantity.ts"
import { type BulkRun, retried, tallyOf } from "./BulkRun.ts"
import { tallyText } from "./OutcomeText.ts"
import type { BulkProgress } from "./useBulkRun.ts"

interface Props {
  readonly progress: BulkProgress
  readonly run: BulkRun
  readonly workloads: ReadonlyArray<WorkloadName>
}

/** Takes the focus when the phase changes, because the pressed button disappears. */
export const RunState = (props: Props) => {
  const { phase } = props.run
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => place.current?.focus(), [phase])
  return (
    <div ref={place} tabIndex={-1} className="qd-state">
      <State {...props} />
    </div>
  )
}

const State = ({ progress, run, workloads }: Props) => {
  const { failure, isReconnecting, resend } = progress
  const counts = tallyOf(run, workloads)
  const tally = tallyText(counts)
  switch (run.phase) {
    case "running": {
      const knownCount = workloads.length - counts.underway
      return (
        <Stack gap="xs">
          <Progress
            value={(knownCount / workloads.length) * 100}
            aria-label="Workloads whose outcome is known"
            transitionDuration={0}
          />
          <Text size="sm" role="status">
            {Quantity.count(knownCount)} of {Quantity.counted(workloads.length, "workload")}: {tally}.
            {isReconnecting
              ? " The connection was lost. The page sends the same call again; nothing is done twice."
              : ""}
          </Text>
        </Stack>
      )
    }
    case "ended": {
      const isAll = counts.applied === workloads.length
      return (
        <Alert
          color={isAll ? "teal" : "yellow"}
          variant="light"
          role="status"
          title={isAll ? "Done" : "Some workloads were not changed"}
        >
          <Text size="sm">{tally}. The list shows the progress.</Text>
        </Alert>
      )
    }
    case "left":
      return (
        <Alert color="blue" variant="light" role="status" title="The change continues on the server">
          <Text size="sm">
            {tally}. The server finishes what it has started; nothing is rolled back. Watch again sends the same call
            with the same Idempotency-Key: changes already made are not repeated, and the remaining ones are made.
          </Text>
        </Alert>
      )
    case "broken":
      return (
        <Alert color="red" variant="light" role="alert" title="The server failed before the end">
          <Text size="sm">
            {tally}. Check the unknown workloads before you try again. The audit log has what the server recorded.
          </Text>
        </Alert>
      )
    case "refused":
      return failure === undefined ? undefined : (
        <FailureAlert failure={failure} onRetry={resend}>
          <Text size="sm">Nothing was done by this call.</Text>
        </FailureAlert>
      )
    case "lost":
      return failure === undefined ? undefined : (
        <FailureAlert failure={failure} onRetry={resend}>
          <Text size="sm">
            {tally}. The call may have taken effect. Try again sends the same call with the same Idempotency-Key:
            nothing is done twice.
          </Text>
        </FailureAlert>
      )
    case "unknown":
      return failure === undefined ? undefined : (
        <FailureAlert failure={failure}>
          <Text size="sm">{tally}. Check the unknown workloads before you try again.</Text>
        </FailureAlert>
      )
  }
}

export const RunFoot = ({
  onClose,
  progress,
  run,
  workloads
}: Props & { readonly onClose: (isDone: boolean) => void }) => {
  const { leave, resend, start } = progress
  if (run.phase === "running") {
    return (
      <Group justify="flex-end">
        <Button variant="default" onClick={leave}>
          Stop watching
        </Button>
      </Group>
    )
  }
  const again = retried(run)
  const isDone = tallyOf(run, workloads).applied === workloads.length
  return (
    <Group justify="flex-end">
      {run.phase === "left" ? (
        <Button variant="default" onClick={resend}>
          Watch again
        </Button>
      ) : undefined}
      {again === undefined ? undefined : (
        <Button variant="default" onClick={() => start(again)}>
          Retry {Quantity.counted(again.call.workloads.length, "failed workload")}
        </Button>
      )}
      <Button onClick={() => onClose(isDone)}>Close</Button>
    </Group>
  )
}
