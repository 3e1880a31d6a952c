/**
 * How a change of many workloads goes on, what it came to, and what can be done about the rest.
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

/** Takes the focus as it changes: the button that was pressed is gone by then. */
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
      const toldCount = workloads.length - counts.underway
      return (
        <Stack gap="xs">
          <Progress
            value={(toldCount / workloads.length) * 100}
            aria-label="Workloads whose outcome is known"
            transitionDuration={0}
          />
          <Text size="sm" role="status">
            {Quantity.count(toldCount)} of {Quantity.counted(workloads.length, "workload")}: {tally}.
            {isReconnecting ? " The connection was lost. The same is asked again, and nothing is done twice." : ""}
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
          title={isAll ? "Done" : "Not all were changed"}
        >
          <Text size="sm">{tally}. What controllers make of it shows in the list.</Text>
        </Alert>
      )
    }
    case "left":
      return (
        <Alert color="blue" variant="light" role="status" title="It goes on without you">
          <Text size="sm">
            {tally}. What the server has begun it brings to its end, and nothing is taken back. To watch again sends the
            same under the same Idempotency-Key: what is done is not done twice, what had not begun is done then.
          </Text>
        </Alert>
      )
    case "broken":
      return (
        <Alert color="red" variant="light" role="alert" title="The server failed on its way">
          <Text size="sm">
            {tally}. Look at those that are not known before you try again; the audit has what the server knows.
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
            {tally}. What was sent may have been done. Trying again sends the same under the same Idempotency-Key:
            nothing is done twice.
          </Text>
        </FailureAlert>
      )
    case "unknown":
      return failure === undefined ? undefined : (
        <FailureAlert failure={failure}>
          <Text size="sm">{tally}. Look at those that are not known before you try again.</Text>
        </FailureAlert>
      )
  }
}

/** What can be done next. */
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
          Try {Quantity.count(again.call.workloads.length)} that failed again
        </Button>
      )}
      <Button onClick={() => onClose(isDone)}>Close</Button>
    </Group>
  )
}
