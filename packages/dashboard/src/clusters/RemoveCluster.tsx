/**
 * Removes a cluster that was registered at run time. Only Admins of every cluster see it.
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

export const RemoveCluster = ({ cluster }: { readonly cluster: Cluster }) => {
  const { rule } = useCaller()
  const [isOpen, setOpen] = useState(false)
  const close = () => setOpen(false)
  if (!isUnscopedAdmin(rule)) return undefined
  if (cluster.role === "parent") {
    return (
      <Text size="sm" c="dimmed">
        The parent cluster comes from the server's configuration and cannot be removed here.
      </Text>
    )
  }
  return (
    <>
      <Button variant="default" c="var(--mantine-color-error)" onClick={() => setOpen(true)}>
        Remove
      </Button>
      <Modal
        opened={isOpen}
        onClose={close}
        title="Remove this cluster?"
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
    // The link drops the choice of clusters, because the removed cluster may be the chosen one.
    await navigate(PLACES.clusters)
    await queries.invalidateQueries({ queryKey: ["clusters"] })
  }

  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack gap="md">
        <Text size="sm" className="qd-text">
          The server removes <strong>{name}</strong> and its credentials. Its workloads keep running, and its cost
          history is kept. Only a cluster that was registered at run time can be removed here. To remove another one,
          change the server's configuration.
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
            Cancel
          </Button>
          <Button type="submit" color="red.9" disabled={!isConfirmed} loading={isRunning}>
            Remove
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
