/**
 * Confirms the revocation of several keys, lists them with their descendants, and shows which could not be revoked.
 */
import { Button, Checkbox, Group, List, Modal, ScrollArea, Stack, Text, TextInput } from "@mantine/core"
import { useQueries, useQueryClient } from "@tanstack/react-query"
import { type SyntheticEvent, useState } from "react"
import { ApiFailure } from "../api/Client.ts"
import { descendantsQuery, KEYS, revokeKey } from "../api/KeyQueries.ts"
import { noteFailure } from "../api/Session.ts"
import type { ApiKey } from "../api/Shapes.ts"
import * as Quantity from "../format/Quantity.ts"

/** Maximum number of keys that are revoked at once. */
export const MAX_KEYS = 50

interface Props {
  /** The dialog is open while this is set. */
  readonly keys: ReadonlyArray<ApiKey> | undefined
  readonly onClose: () => void
}

export const BulkRevokeDialog = ({ keys, onClose }: Props) => (
  <Modal
    opened={keys !== undefined}
    onClose={onClose}
    title={keys === undefined ? "" : `Revoke ${Quantity.counted(keys.length, "key")}?`}
    closeButtonProps={{ "aria-label": "Close" }}
    size="lg"
    centered
  >
    {keys === undefined ? undefined : <Confirmation keys={keys} onClose={onClose} />}
  </Modal>
)

/** Outcome of one revocation. */
type Outcome = "revoked" | ApiFailure

const Confirmation = ({ keys, onClose }: { readonly keys: ReadonlyArray<ApiKey>; readonly onClose: () => void }) => {
  const queries = useQueryClient()
  const descendants = useQueries({ queries: keys.map(({ id }) => ({ ...descendantsQuery(id), retry: false })) })
  const [typed, setTyped] = useState("")
  const [withChildren, setWithChildren] = useState(false)
  const [isRunning, setRunning] = useState(false)
  const [outcomes, setOutcomes] = useState<ReadonlyMap<string, Outcome>>(new Map())
  const counts = descendants.map(({ data }) => data)
  const isKnown = counts.every((count) => count !== undefined)
  const hasDescendants = counts.some((count) => count !== 0)
  const left = keys.filter(({ id }) => outcomes.get(id) !== "revoked")
  const isConfirmed = typed.trim() === String(keys.length)

  const submit = async (event: SyntheticEvent) => {
    event.preventDefault()
    if (!isConfirmed) return
    setRunning(true)
    let isDone = true
    for (const { id } of left) {
      // One after another: the server serializes changes of keys.
      const outcome = await outcomeOf(revokeKey({ id, withChildren, isForced: false }))
      isDone &&= outcome === "revoked"
      setOutcomes((before) => new Map(before).set(id, outcome))
      if (outcome !== "revoked") noteFailure(queries, outcome)
    }
    setRunning(false)
    await queries.invalidateQueries({ queryKey: KEYS })
    if (isDone) onClose()
  }

  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack gap="md">
        <Text size="sm">
          Requests with these keys will be refused from now on, and their sessions are signed out. This cannot be
          undone.
        </Text>
        <ScrollArea.Autosize mah={260} type="auto" viewportProps={{ tabIndex: 0, "aria-label": "Keys to revoke" }}>
          <List size="sm" spacing={4} withPadding={false}>
            {keys.map(({ id, name, start }, index) => (
              <List.Item key={id} className="qd-text">
                <strong>{name}</strong>
                {start === undefined ? "" : ` (${start}…)`}, {descendantsText(counts[index])}
                <OutcomeText outcome={outcomes.get(id)} />
              </List.Item>
            ))}
          </List>
        </ScrollArea.Autosize>
        {hasDescendants ? (
          <Checkbox
            label="Also revoke their descendants"
            description="Keys that they created or were rotated to, and the descendants of those."
            checked={withChildren}
            onChange={(event) => setWithChildren(event.currentTarget.checked)}
          />
        ) : undefined}
        <TextInput
          label="Type the number of keys to confirm"
          description={String(keys.length)}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          inputMode="numeric"
          autoComplete="off"
          data-autofocus
        />
        {outcomes.size === 0 || isRunning ? undefined : (
          <Text size="sm" role="alert" c="red">
            {Quantity.counted(left.length, "key")} could not be revoked. The reason is beside each name.
          </Text>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} disabled={isRunning}>
            {outcomes.size === 0 ? "Cancel" : "Close"}
          </Button>
          <Button type="submit" color="red.9" disabled={!isConfirmed || !isKnown} loading={isRunning}>
            {outcomes.size === 0 || isRunning ? "Revoke" : "Try again"}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

const outcomeOf = async (revocation: Promise<unknown>): Promise<Outcome> => {
  try {
    await revocation
    return "revoked"
  } catch (error) {
    if (error instanceof ApiFailure) return error
    throw error
  }
}

const descendantsText = (count: number | undefined): string =>
  count === undefined
    ? "counting its descendants"
    : count === 0
      ? "no descendants"
      : Quantity.counted(count, "descendant")

const OutcomeText = ({ outcome }: { readonly outcome: Outcome | undefined }) =>
  outcome === undefined ? undefined : outcome === "revoked" ? (
    <>: revoked</>
  ) : (
    <Text span size="sm" c="red">
      : {outcome.message} ({outcome.code})
    </Text>
  )
