/**
 * The page Users > API Keys > Create API Key.
 */
import { Anchor, Button, Group, Stack, Text, TextInput, Title } from "@mantine/core"
import type { CreateApiKey } from "@quarterdeck/contract/ApiKeysGroup"
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { DateTime, Redacted } from "effect"
import { useEffect, useMemo, useState } from "react"
import { Link, useSearchParams } from "react-router"
import { call } from "../api/Client.ts"
import { KEYS } from "../api/KeyQueries.ts"
import { namespacesQuery } from "../api/Queries.ts"
import type { ApiKey, Role } from "../api/Shapes.ts"
import { useCaller } from "../frame/Caller.ts"
import { PLACES } from "../frame/places.ts"
import { useTitle } from "../frame/useTitle.ts"
import { FailureAlert } from "../feedback/FailureAlert.tsx"
import { AddressField } from "./AddressField.tsx"
import { AdminsOnly } from "./AdminsOnly.tsx"
import { CreatedKey } from "./CreatedKey.tsx"
import { DescriptionField } from "./DescriptionField.tsx"
import { ExpiryFields } from "./ExpiryFields.tsx"
import { fieldOf, type KeyDraft, selectorsInside, toBody } from "./KeyDraft.ts"
import { KeyForm } from "./KeyForm.tsx"
import * as KeyPrefill from "./KeyPrefill.ts"
import { RoleField } from "./RoleField.tsx"
import { RuleFields } from "./RuleFields.tsx"
import * as StoredDraft from "./StoredDraft.ts"
import { useDraft } from "../form/useDraft.ts"

/** The new key. Only this page holds it, until the user leaves the page. */
interface Created {
  readonly rawKey: string
  readonly apiKey: ApiKey
}

export const CreateKeyPage = () => {
  const [created, setCreated] = useState<Created>()
  const { rule } = useCaller()
  if (rule.role !== "Admin" && created === undefined) {
    return (
      <Stack gap="md">
        <Head />
        <AdminsOnly />
      </Stack>
    )
  }
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
  const [search, setSearch] = useSearchParams()
  // A change of the cluster switcher must not lose the draft.
  const { id: callerId } = caller
  const prefilled = useMemo(() => KeyPrefill.parametersOf(search), [search])
  const owner = useMemo(() => ({ callerId, search: prefilled.toString() }), [callerId, prefilled])
  const begin = (parameters: URLSearchParams) =>
    KeyPrefill.apply(draftInside(caller), KeyPrefill.parse(parameters), outer.role)
  const form = useDraft(() => StoredDraft.read(sessionStorage, owner) ?? begin(prefilled), fieldOf)
  const { change, draft, failure, errors, run } = form
  const [preset, setPreset] = useState<string>()
  useEffect(() => StoredDraft.write(sessionStorage, owner, draft), [owner, draft])

  /** Replaces the draft, but not its name, by a preset. The address no longer describes the draft. */
  const choose = ({ label, search: parameters }: KeyPrefill.Preset) => {
    setPreset(label)
    change({ ...begin(new URLSearchParams(parameters)), name: draft.name })
    setSearch(KeyPrefill.withoutParameters, { replace: true })
  }

  const send = (payload: CreateApiKey) =>
    run(async () => {
      const { apiKey, key } = await call((api) => api.apiKeys.create({ payload }))
      StoredDraft.clear(sessionStorage)
      onCreated({ rawKey: Redacted.value(key), apiKey })
      void queries.invalidateQueries({ queryKey: KEYS })
    })

  return (
    <Stack gap="md">
      <Head />
      <Presets chosen={preset} highest={outer.role} onChoose={choose} />
      <KeyForm
        form={form}
        body={toBody(draft)}
        onSend={(payload) => void send(payload)}
        verb="Create key"
        back={PLACES.apiKeys}
        onCancel={() => StoredDraft.clear(sessionStorage)}
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

interface PresetsProps {
  readonly chosen: string | undefined
  readonly highest: Role
  readonly onChoose: (preset: KeyPrefill.Preset) => void
}

const Presets = ({ chosen, highest, onChoose }: PresetsProps) => (
  <Stack gap={4}>
    <Group gap="xs" role="group" aria-label="Presets">
      {KeyPrefill.presetsUpTo(highest).map((preset) => (
        <Button
          key={preset.label}
          size="xs"
          variant={preset.label === chosen ? "filled" : "default"}
          aria-pressed={preset.label === chosen}
          onClick={() => onChoose(preset)}
        >
          {preset.label}
        </Button>
      ))}
    </Group>
    <Text size="sm" c="dimmed" role="status">
      {KeyPrefill.PRESETS.find(({ label }) => label === chosen)?.note ?? ""}
    </Text>
  </Stack>
)

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
