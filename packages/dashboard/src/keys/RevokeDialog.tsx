/**
 * Confirms a revocation by the key's name, because it cannot be undone.
 */
import { Button, Checkbox, Code, Group, Modal, Stack, Text, TextInput } from "@mantine/core"
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { type SyntheticEvent, useState } from "react"
import { descendantsQuery, KEYS, revokeKey } from "../api/KeyQueries.ts"
import { sessionQuery } from "../api/Session.ts"
import type { ApiKey } from "../api/Shapes.ts"
import { useAction } from "../api/useAction.ts"
import { useCaller } from "../frame/Caller.ts"
import { FailureAlert } from "../feedback/FailureAlert.tsx"
import { ForceField } from "./ForceField.tsx"

interface Props {
  /** The dialog is open while this is set. */
  readonly apiKey: ApiKey | undefined
  readonly onClose: () => void
}

export const RevokeDialog = ({ apiKey, onClose }: Props) => (
  <Modal
    opened={apiKey !== undefined}
    onClose={onClose}
    title="Revoke this key?"
    closeButtonProps={{ "aria-label": "Close" }}
    centered
  >
    {apiKey === undefined ? undefined : <Confirmation key={apiKey.id} apiKey={apiKey} onClose={onClose} />}
  </Modal>
)

const Confirmation = ({ apiKey, onClose }: { readonly apiKey: ApiKey; readonly onClose: () => void }) => {
  const queries = useQueryClient()
  const { rule } = useCaller()
  // Only an Admin may revoke a key together with its descendants.
  const descendants = useQuery({ ...descendantsQuery(apiKey.id), enabled: rule.role === "Admin", retry: false })
  const [typed, setTyped] = useState("")
  const [withChildren, setWithChildren] = useState(false)
  const [isForced, setForced] = useState(false)
  const { failure, isRunning, run } = useAction()
  const isConfirmed = typed.trim() === apiKey.name.trim()

  const submit = async (event: SyntheticEvent) => {
    event.preventDefault()
    if (!isConfirmed) return
    const isDone = await run(async () => {
      await revokeKey({ id: apiKey.id, withChildren, isForced })
      await queries.invalidateQueries({ queryKey: KEYS })
      await queries.invalidateQueries({ queryKey: sessionQuery.queryKey })
    })
    if (isDone) onClose()
  }

  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack gap="md">
        <Text size="sm" className="qd-text">
          Requests with <strong>{apiKey.name}</strong>
          {apiKey.start === undefined ? undefined : (
            <>
              , the key that starts with <Code>{apiKey.start}</Code>,
            </>
          )}{" "}
          will be refused from now on, and its sessions are signed out. This cannot be undone.
        </Text>
        <TextInput
          label="Type the key's name to confirm"
          description={apiKey.name}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          autoComplete="off"
          spellCheck={false}
          data-autofocus
        />
        {rule.role === "Admin" && descendants.data !== 0 ? (
          <Checkbox
            label={childrenLabel(descendants.data)}
            description="Keys that it created or was rotated to, and their descendants: all of them or none."
            checked={withChildren}
            onChange={(event) => setWithChildren(event.currentTarget.checked)}
          />
        ) : undefined}
        {failure === undefined ? undefined : <FailureAlert failure={failure} />}
        <ForceField label="Revoke the last Admin anyway" failure={failure} isForced={isForced} onChange={setForced} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" color="red.9" disabled={!isConfirmed} loading={isRunning}>
            Revoke
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** Label of the checkbox. **Shape** without the number until it is known. */
const childrenLabel = (count: number | undefined): string => {
  if (count === undefined) return "Also every key descended from it"
  return count === 1 ? "Also the key descended from it" : `Also the ${count} keys descended from it`
}
