/**
 * Drops a cluster that was registered while the server runs, by those who register.
 */
import { Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core"
import { useQueryClient } from "@tanstack/react-query"
import { type SyntheticEvent, useState } from "react"
import { useNavigate } from "react-router"
import { call } from "../api/Client.ts"
import type { Cluster } from "../api/Shapes.ts"
import { useAction } from "../api/useAction.ts"
import { isUnscopedAdmin, useCaller } from "../frame/Caller.ts"
import { PLACES } from "../frame/places.ts"
import { FailureAlert } from "../feedback/FailureAlert.tsx"

export const DropCluster = ({ cluster }: { readonly cluster: Cluster }) => {
  const { rule } = useCaller()
  const [isOpen, setOpen] = useState(false)
  const close = () => setOpen(false)
  if (!isUnscopedAdmin(rule)) return undefined
  if (cluster.role === "parent") {
    return (
      <Text size="sm" c="dimmed">
        The parent comes from the server's configuration, and cannot be dropped here.
      </Text>
    )
  }
  return (
    <>
      <Button variant="default" c="var(--mantine-color-error)" onClick={() => setOpen(true)}>
        Drop
      </Button>
      <Modal
        opened={isOpen}
        onClose={close}
        title="Drop this cluster?"
        closeButtonProps={{ "aria-label": "Close" }}
        centered
      >
        <Confirmation name={cluster.name} onClose={close} />
      </Modal>
    </>
  )
}

const Confirmation = ({ name, onClose }: { readonly name: Cluster["name"]; readonly onClose: () => void }) => {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [typed, setTyped] = useState("")
  const { failure, isRunning, run } = useAction()
  const isConfirmed = typed.trim() === name

  const submit = async (event: SyntheticEvent) => {
    event.preventDefault()
    if (!isConfirmed || isRunning) return
    const isDone = await run(() => call((api) => api.clusters.drop({ params: { name } })))
    if (!isDone) return
    // To every cluster: one that is gone is no choice, and whoever chose it would be shown a failure.
    await navigate(PLACES.clusters)
    await queries.invalidateQueries({ queryKey: ["clusters"] })
  }

  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack gap="md">
        <Text size="sm" className="qd-text">
          The server forgets <strong>{name}</strong> and its credentials, and nobody reaches it here any more. What runs
          on it goes on, and the history of its costs is kept. Only a cluster that was registered while the server runs
          can be dropped; others are taken out of the configuration that they come from.
        </Text>
        <TextInput
          label="Type the cluster's name to confirm"
          description={name}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          autoComplete="off"
          spellCheck={false}
          data-autofocus
        />
        {failure === undefined ? undefined : <FailureAlert failure={failure} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Keep it
          </Button>
          <Button type="submit" color="red.9" disabled={!isConfirmed} loading={isRunning}>
            Drop
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
