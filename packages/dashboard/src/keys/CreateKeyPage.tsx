/**
 * The page Users > API Keys > Create API Key.
 */
import { Anchor, Stack, Text, TextInput, Title } from "@mantine/core"
import type { CreateApiKey } from "@quarterdeck/contract/ApiKeysGroup"
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { DateTime, Redacted } from "effect"
import { useState } from "react"
import { Link } from "react-router"
import { call } from "../api/Client.ts"
import { KEYS } from "../api/KeyQueries.ts"
import { namespacesQuery } from "../api/Queries.ts"
import type { ApiKey } from "../api/Shapes.ts"
import { useCaller } from "../frame/Caller.ts"
import { PLACES } from "../frame/places.ts"
import { useTitle } from "../frame/useTitle.ts"
import { FailureAlert } from "../feedback/FailureAlert.tsx"
import { AddressField } from "./AddressField.tsx"
import { CreatedKey } from "./CreatedKey.tsx"
import { DescriptionField } from "./DescriptionField.tsx"
import { ExpiryFields } from "./ExpiryFields.tsx"
import { fieldOf, type KeyDraft, selectorsInside, toBody } from "./KeyDraft.ts"
import { KeyForm } from "./KeyForm.tsx"
import { RoleField } from "./RoleField.tsx"
import { RuleFields } from "./RuleFields.tsx"
import { useDraft } from "../form/useDraft.ts"

/** The new key. Only this page holds it, until the user leaves the page. */
interface Created {
  readonly rawKey: string
  readonly apiKey: ApiKey
}

export const CreateKeyPage = () => {
  const [created, setCreated] = useState<Created>()
  return created === undefined ? (
    <CreateForm onCreated={setCreated} />
  ) : (
    <CreatedKey {...created} onAnother={() => setCreated(undefined)} />
  )
}

const DEFAULT_DAYS = 90

/** Returns a draft inside the caller's own rule, addresses and expiry. */
const draftInside = ({ allowFrom = [], expiresAt, rule }: ApiKey): KeyDraft => {
  const defaultEnd = DateTime.add(DateTime.nowUnsafe(), { days: DEFAULT_DAYS })
  const isShorter = expiresAt !== undefined && DateTime.isLessThan(expiresAt, defaultEnd)
  return {
    name: "",
    description: "",
    allowFrom,
    role: "Viewer",
    clusters: rule.targetClusters,
    selectors: selectorsInside(rule),
    expiry: isShorter ? { _tag: "Never" } : { _tag: "After", count: String(DEFAULT_DAYS), unit: "d" }
  }
}

const CreateForm = ({ onCreated }: { readonly onCreated: (created: Created) => void }) => {
  const queries = useQueryClient()
  const caller = useCaller()
  const { rule: outer } = caller
  const view = useQuery(namespacesQuery)
  const form = useDraft(() => draftInside(caller), fieldOf)
  const { change, draft, failure, errors, run } = form

  const send = (payload: CreateApiKey) =>
    run(async () => {
      const { apiKey, key } = await call((api) => api.apiKeys.create({ payload }))
      onCreated({ rawKey: Redacted.value(key), apiKey })
      void queries.invalidateQueries({ queryKey: KEYS })
    })

  return (
    <Stack gap="md">
      <Head />
      <KeyForm
        form={form}
        body={toBody(draft)}
        onSend={(payload) => void send(payload)}
        verb="Create key"
        back={PLACES.apiKeys}
      >
        <TextInput
          label="Name"
          description="Name of the program or person that will use the key."
          value={draft.name}
          onChange={(event) => change({ name: event.currentTarget.value })}
          error={errors["name"]}
          maxLength={128}
          autoComplete="off"
          required
          withAsterisk={false}
        />
        <DescriptionField draft={draft} errors={errors} onChange={change} />
        <RoleField role={draft.role} highest={outer.role} onChange={(role) => change({ role })} />
        <RuleFields draft={draft} errors={errors} outer={outer} view={view.data} onChange={change} />
        <AddressField draft={draft} errors={errors} outer={caller.allowFrom} onChange={change} />
        <ExpiryFields
          expiry={draft.expiry}
          error={errors["expire"]}
          latest={caller.expiresAt}
          onChange={(expiry) => change({ expiry })}
        />
        {failure === undefined ? undefined : <FailureAlert failure={failure} />}
      </KeyForm>
    </Stack>
  )
}

const Head = () => {
  const heading = useTitle("Create API Key")
  return (
    <div>
      <Text size="sm">
        <Anchor component={Link} to={PLACES.apiKeys} underline="always">
          API Keys
        </Anchor>
      </Text>
      <Title order={1} size="h2" ref={heading} tabIndex={-1}>
        Create API Key
      </Title>
      <Text c="dimmed">The key is shown once, when it is created.</Text>
    </div>
  )
}
