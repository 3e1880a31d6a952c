/**
 * Rotates a key: shows the new key once, and keeps the old one valid for a grace period.
 */
import { Button, Group, Modal, NativeSelect, Stack, Text } from "@mantine/core"
import { useQueryClient } from "@tanstack/react-query"
import { DateTime, Redacted, Result } from "effect"
import { type SyntheticEvent, useState } from "react"
import { type ApiFailure, call } from "../api/Client.ts"
import { KEYS } from "../api/KeyQueries.ts"
import { signIn } from "../api/Session.ts"
import type { ApiKey } from "../api/Shapes.ts"
import { useAction } from "../api/useAction.ts"
import { useCaller } from "../frame/Caller.ts"
import { FailureAlert } from "../feedback/FailureAlert.tsx"
import { fullTextOf } from "../feedback/Instant.tsx"
import { fieldOf } from "./KeyDraft.ts"
import { ExpiryValue, STARTS } from "./ExpiryFields.tsx"
import { KeySecret } from "./KeySecret.tsx"
import { gracesOf, STANDARD, toBody } from "./RotateDraft.ts"
import { useDraft } from "../form/useDraft.ts"

interface Props {
  /** The dialog is open while this is set. */
  readonly apiKey: ApiKey | undefined
  readonly onClose: () => void
}

/** The new key. Only this dialog holds it, until it is closed. */
interface Rotated {
  readonly rawKey: string
  readonly apiKey: ApiKey
}

export const RotateDialog = ({ apiKey, onClose }: Props) => {
  const queries = useQueryClient()
  const caller = useCaller()
  const [rotated, setRotated] = useState<Rotated>()
  // This state is not in the form, because the form is unmounted before the page signs in with the new key.
  const signingIn = useAction({ signsIn: true })
  const close = () => {
    setRotated(undefined)
    signingIn.clear()
    onClose()
  }
  const showKey = (made: Rotated) => {
    setRotated(made)
    if (made.apiKey.rotatedFrom === caller.id) void signingIn.run(() => signIn(queries, made.rawKey))
  }
  const isOpen = apiKey !== undefined || rotated !== undefined
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title={rotated === undefined ? "Rotate this key?" : `New key of ${rotated.apiKey.name}`}
      closeButtonProps={{ "aria-label": "Close" }}
      // A stray click must not close the dialog, because the new key is shown only once.
      closeOnClickOutside={rotated === undefined}
      closeOnEscape={rotated === undefined}
      size="lg"
      centered
    >
      {rotated === undefined ? undefined : <NewKey {...rotated} notSignedIn={signingIn.failure} onClose={close} />}
      {rotated === undefined && apiKey !== undefined ? (
        <Rotation key={apiKey.id} apiKey={apiKey} onClose={close} onRotated={showKey} />
      ) : undefined}
    </Modal>
  )
}

interface RotationProps {
  readonly apiKey: ApiKey
  readonly onClose: () => void
  readonly onRotated: (rotated: Rotated) => void
}

const Rotation = ({ apiKey, onClose, onRotated }: RotationProps) => {
  const queries = useQueryClient()
  const caller = useCaller()
  const isOwn = caller.id === apiKey.id
  const { change, draft, failure, errors, isRunning, refuse, run } = useDraft(() => STANDARD, fieldOf)

  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    const body = toBody(draft)
    if (Result.isFailure(body)) {
      refuse(body.failure)
      return
    }
    void run(async () => {
      const { apiKey: made, key } = await call((api) =>
        api.apiKeys.rotate({ params: { id: apiKey.id }, payload: body.success })
      )
      onRotated({ rawKey: Redacted.value(key), apiKey: made })
      void queries.invalidateQueries({ queryKey: KEYS })
    })
  }

  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <Text size="sm" className="qd-text">
          <strong>{apiKey.name}</strong> gets a new key with the same name and rule, which is shown once.{" "}
          {isOwn
            ? "This page continues with the new key. Other sessions are signed out when the old key ends."
            : "Sessions of the old key are signed out when it ends."}
        </Text>
        <NativeSelect
          label="Old key stays valid"
          value={draft.grace}
          onChange={(event) => change({ grace: event.currentTarget.value })}
          error={errors["grace"]}
          data={[...gracesOf(isOwn)]}
          data-autofocus
        />
        <NativeSelect
          label="Expiry of the new key"
          value={draft.expiry?._tag ?? SAME}
          onChange={({ currentTarget: { value } }) =>
            change({ expiry: value === "After" || value === "On" ? STARTS[value] : undefined })
          }
          data={[
            { value: SAME, label: defaultExpiryText(apiKey, caller) },
            { value: "After", label: "After a duration" },
            { value: "On", label: "On a date" }
          ]}
          error={draft.expiry === undefined ? errors["expire"] : undefined}
        />
        {draft.expiry === undefined ? undefined : (
          <ExpiryValue expiry={draft.expiry} error={errors["expire"]} onChange={(expiry) => change({ expiry })} />
        )}
        {failure === undefined ? undefined : <FailureAlert failure={failure} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={isRunning}>
            Rotate
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

const SAME = "Same"

/** A new key must not outlive the caller's own key. */
const defaultExpiryText = ({ expiresAt }: ApiKey, caller: ApiKey): string => {
  const latest = caller.expiresAt
  if (latest !== undefined && (expiresAt === undefined || DateTime.isLessThan(latest, expiresAt))) {
    return `With your own key: ${fullTextOf(latest)}`
  }
  return expiresAt === undefined ? "Never, like the old key" : `Like the old key: ${fullTextOf(expiresAt)}`
}

interface NewKeyProps extends Rotated {
  /** Failure of signing in with the new key, if the page tried. */
  readonly notSignedIn: ApiFailure | undefined
  readonly onClose: () => void
}

const NewKey = ({ apiKey, notSignedIn, onClose, rawKey }: NewKeyProps) => (
  <Stack gap="md">
    {notSignedIn === undefined ? undefined : (
      <FailureAlert failure={notSignedIn}>
        <Text size="sm">This page still uses the old key. Sign in with the new key before the old one ends.</Text>
      </FailureAlert>
    )}
    <KeySecret apiKey={apiKey} rawKey={rawKey} />
    <Group justify="flex-end">
      <Button onClick={onClose}>Done</Button>
    </Group>
  </Stack>
)
