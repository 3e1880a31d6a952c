/**
 * Dialog of an action on one workload. It previews the change by a dry run before it is applied.
 */
import { Alert, Button, Group, Modal, Stack, Table, Text } from "@mantine/core"
import { useQueryClient } from "@tanstack/react-query"
import { type ReactNode, type SyntheticEvent, useEffect, useRef, useState } from "react"
import { act, type ActionName, type ActionResult } from "../api/ActionQueries.ts"
import { useAction } from "../api/useAction.ts"
import type { Workload } from "../api/WorkloadQueries.ts"
import { FailureAlert } from "../feedback/FailureAlert.tsx"
import { Timestamp } from "../feedback/Instant.tsx"
import { Loading } from "../feedback/PageState.tsx"
import * as Quantity from "../format/Quantity.ts"
import { isReplicas, ReplicasInput } from "./ReplicasInput.tsx"

export const LABELS: Readonly<Record<ActionName, string>> = {
  scale: "Scale",
  restart: "Restart",
  pause: "Pause",
  resume: "Resume"
}

const MEANINGS: Readonly<Record<ActionName, string>> = {
  scale: "Pods are added or removed until it has this number.",
  restart: "Its pods are replaced by new ones, a few at a time as its rollout strategy says.",
  pause: "A rollout stops where it is. A CronJob starts no more jobs.",
  resume: "The rollout continues. A CronJob starts jobs again."
}

interface Props {
  /** The dialog is open while this is set. */
  readonly action: ActionName | undefined
  readonly workload: Workload
  readonly onClose: () => void
}

export const ActionDialog = ({ action, onClose, workload }: Props) => (
  <Modal
    opened={action !== undefined}
    onClose={onClose}
    title={action === undefined ? "" : `${LABELS[action]} ${workload.name}?`}
    closeButtonProps={{ "aria-label": "Close" }}
    centered
  >
    {action === undefined ? undefined : (
      <Form key={`${action} ${workload.id}`} action={action} workload={workload} onClose={onClose} />
    )}
  </Modal>
)

/** State of the dialog: the preview of the change and its result. */
const useChange = (action: ActionName, workload: Workload) => {
  const queries = useQueryClient()
  const [replicas, setReplicas] = useState<number | string>(workload.replicas.desired)
  const [preview, setPreview] = useState<ActionResult>()
  const [applied, setApplied] = useState<ActionResult>()
  const previewing = useAction()
  const applying = useAction()
  const isValid = isReplicas(replicas)
  const change = { action, replicas: typeof replicas === "number" ? replicas : 0 }

  const show = () => {
    setPreview(undefined)
    applying.clear()
    void previewing.run(async () => {
      setPreview(await act(workload, change, { dryRun: true }))
    })
  }
  const apply = ({ resourceVersion }: ActionResult) => {
    void applying.run(async () => {
      setApplied(await act(workload, change, { dryRun: false, resourceVersion }))
      await queries.invalidateQueries({ queryKey: ["workload"] })
      await queries.invalidateQueries({ queryKey: ["pods"] })
    })
  }
  const changeReplicas = (value: number | string) => {
    setReplicas(value)
    setPreview(undefined)
  }
  // Actions without a number are previewed once, when the dialog opens.
  const hasPreview = useRef(false)
  useEffect(() => {
    if (action === "scale" || hasPreview.current) return
    hasPreview.current = true
    show()
  })
  return { replicas, changeReplicas, isValid, preview, applied, show, apply, previewing, applying }
}

const Form = ({ action, onClose, workload }: Props & { readonly action: ActionName }) => {
  const { applied, apply, applying, changeReplicas, isValid, preview, previewing, replicas, show } = useChange(
    action,
    workload
  )
  if (applied !== undefined) return <Applied result={applied} onClose={onClose} />

  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    if (preview !== undefined) apply(preview)
    else if (isValid) show()
  }
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <Text size="sm" className="qd-text">
          {workload.kind} <b>{workload.name}</b> in namespace {workload.namespace} of {workload.cluster}.{" "}
          {MEANINGS[action]}
        </Text>
        {action === "scale" ? <ReplicasInput label="Replicas" value={replicas} onChange={changeReplicas} /> : undefined}
        {previewing.isRunning ? <Loading what="the preview" /> : undefined}
        {previewing.failure === undefined ? undefined : <FailureAlert failure={previewing.failure} onRetry={show} />}
        {preview === undefined ? undefined : <Difference result={preview} />}
        {applying.failure === undefined ? undefined : (
          <FailureAlert failure={applying.failure} onRetry={show}>
            {applying.failure.code === "workload_changed" ? (
              <Text size="sm">
                The workload was changed since the preview. Nothing was done. Try again to see a new preview.
              </Text>
            ) : undefined}
          </FailureAlert>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          {preview === undefined ? (
            <Button type="submit" disabled={!isValid} loading={previewing.isRunning}>
              Preview
            </Button>
          ) : (
            <Button type="submit" loading={applying.isRunning} disabled={applying.failure !== undefined}>
              {LABELS[action]}
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  )
}

const Applied = ({ onClose, result }: { readonly result: ActionResult; readonly onClose: () => void }) => (
  <Stack gap="md">
    <Alert color="teal" variant="light" role="status" title="Done">
      <Text size="sm">The cluster accepted the change. The page shows its progress.</Text>
    </Alert>
    <Difference result={result} />
    <Group justify="flex-end">
      <Button onClick={onClose} data-autofocus>
        Close
      </Button>
    </Group>
  </Stack>
)

type State = ActionResult["before"]

const FACTS: ReadonlyArray<readonly [name: string, of: (state: State) => ReactNode]> = [
  ["Replicas", ({ replicas }) => (replicas === undefined ? undefined : Quantity.count(replicas))],
  ["Paused", ({ isPaused }) => (isPaused === undefined ? undefined : isPaused ? "yes" : "no")],
  ["Restarted", ({ restartedAt }) => (restartedAt === undefined ? undefined : <Timestamp at={restartedAt} />)]
]

const Difference = ({ result: { after, before, status } }: { readonly result: ActionResult }) => (
  <Table aria-label={status === "dryRun" ? "Preview" : "Result"} withTableBorder>
    <Table.Thead>
      <Table.Tr>
        <Table.Th scope="col">{status === "dryRun" ? "Not applied yet" : "Applied"}</Table.Th>
        <Table.Th scope="col">Before</Table.Th>
        <Table.Th scope="col">After</Table.Th>
      </Table.Tr>
    </Table.Thead>
    <Table.Tbody>
      {FACTS.filter(([, of]) => of(before) !== undefined || of(after) !== undefined).map(([name, of]) => (
        <Table.Tr key={name}>
          <Table.Th scope="row">{name}</Table.Th>
          <Table.Td>{of(before) ?? "never"}</Table.Td>
          <Table.Td>{of(after) ?? "never"}</Table.Td>
        </Table.Tr>
      ))}
    </Table.Tbody>
  </Table>
)
