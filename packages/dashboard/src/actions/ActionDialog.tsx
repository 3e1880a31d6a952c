/**
 * Shows what a change would be, as the cluster judges it, before it is made.
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
  scale: "It gets or loses pods until it has so many.",
  restart: "Its pods are replaced, a few at a time as its rollout says, by others like them.",
  pause: "A rollout stops where it is; of a CronJob, no job is begun.",
  resume: "The rollout goes on; of a CronJob, jobs are begun again."
}

interface Props {
  /** The dialog is closed without one. */
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

/** The change that a dialog is about: what it would be, and what became of it. */
const useChange = (action: ActionName, workload: Workload) => {
  const queries = useQueryClient()
  const [replicas, setReplicas] = useState<number | string>(workload.replicas.desired)
  const [preview, setPreview] = useState<ActionResult>()
  const [applied, setApplied] = useState<ActionResult>()
  const previewing = useAction()
  const applying = useAction()
  const isWhole = isReplicas(replicas)
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
  const take = (value: number | string) => {
    setReplicas(value)
    setPreview(undefined)
  }
  // What needs no number is shown as the dialog opens, once.
  const isShown = useRef(false)
  useEffect(() => {
    if (action === "scale" || isShown.current) return
    isShown.current = true
    show()
  })
  return { replicas, take, isWhole, preview, applied, show, apply, previewing, applying }
}

const Form = ({ action, onClose, workload }: Props & { readonly action: ActionName }) => {
  const { applied, apply, applying, isWhole, preview, previewing, replicas, show, take } = useChange(action, workload)
  if (applied !== undefined) return <Applied result={applied} onClose={onClose} />

  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    if (preview !== undefined) apply(preview)
    else if (isWhole) show()
  }
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <Text size="sm" className="qd-text">
          {workload.kind} <b>{workload.name}</b> in namespace {workload.namespace} of {workload.cluster}.{" "}
          {MEANINGS[action]}
        </Text>
        {action === "scale" ? <ReplicasInput label="Replicas" value={replicas} onChange={take} /> : undefined}
        {previewing.isRunning ? <Loading what="what would change" /> : undefined}
        {previewing.failure === undefined ? undefined : <FailureAlert failure={previewing.failure} onRetry={show} />}
        {preview === undefined ? undefined : <Difference result={preview} />}
        {applying.failure === undefined ? undefined : (
          <FailureAlert failure={applying.failure} onRetry={show}>
            {applying.failure.code === "workload_changed" ? (
              <Text size="sm">Somebody else has changed it since it was shown. Nothing was done: look again.</Text>
            ) : undefined}
          </FailureAlert>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Leave it
          </Button>
          {preview === undefined ? (
            <Button type="submit" disabled={!isWhole} loading={previewing.isRunning}>
              Show what would change
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
      <Text size="sm">The cluster has taken the change. What its controllers make of it shows on the page.</Text>
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
  <Table aria-label={status === "dryRun" ? "What would change" : "What has changed"} withTableBorder>
    <Table.Thead>
      <Table.Tr>
        <Table.Th scope="col">{status === "dryRun" ? "Nothing is changed yet" : "Changed"}</Table.Th>
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
