/**
 * Users > API Keys > Create API Key.
 */
import { Anchor, Button, Grid, Group, Radio, Stack, Text, TextInput, Title } from "@mantine/core"
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { Redacted, Result } from "effect"
import { type SyntheticEvent, useRef, useState } from "react"
import { Link } from "react-router"
import { call } from "../api/Client.ts"
import { apiKeysQuery, namespacesQuery } from "../api/Queries.ts"
import type { ApiKey, Role } from "../api/Shapes.ts"
import { useAction } from "../api/useAction.ts"
import { useCaller } from "../app/Caller.ts"
import { PLACES } from "../app/places.ts"
import { useTitle } from "../app/useTitle.ts"
import { FailureAlert } from "../feedback/FailureAlert.tsx"
import { CreatedKey } from "./CreatedKey.tsx"
import { ExpiryFields } from "./ExpiryFields.tsx"
import { type Faults, type KeyDraft, emptySelector, toBody, toRule } from "./KeyDraft.ts"
import { RuleFields } from "./RuleFields.tsx"
import { RulePreview } from "./RulePreview.tsx"

const ROLES: ReadonlyArray<readonly [Role, string]> = [
  ["Viewer", "Sees clusters, workloads and costs"],
  ["Operator", "Sees them, and may act on workloads"],
  ["Admin", "Does that, and manages keys inside its own rule"]
]

/** Held by this page alone, and only until it is left. */
interface Created {
  readonly rawKey: string
  readonly apiKey: ApiKey
}

export const CreateKeyPage = () => {
  const [created, setCreated] = useState<Created>()
  return created === undefined ? (
    <KeyForm onCreated={setCreated} />
  ) : (
    <CreatedKey {...created} onAnother={() => setCreated(undefined)} />
  )
}

const draftInside = ({ targetClusters, targetNamespaces }: ApiKey["rule"]): KeyDraft => ({
  name: "",
  role: "Viewer",
  clusters: targetClusters,
  selectors: targetNamespaces === undefined ? undefined : [emptySelector(1)],
  expiry: { _tag: "After", count: "90", unit: "d" }
})

const KeyForm = ({ onCreated }: { readonly onCreated: (created: Created) => void }) => {
  const form = useRef<HTMLFormElement>(null)
  const queries = useQueryClient()
  const { rule: outer } = useCaller()
  const view = useQuery(namespacesQuery)
  const [draft, setDraft] = useState(() => draftInside(outer))
  const [faults, setFaults] = useState<Faults>({})
  const { failure, isRunning, run } = useAction()

  const change = (part: Partial<KeyDraft>) => {
    setDraft((before) => ({ ...before, ...part }))
    setFaults({})
  }

  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    const body = toBody(draft)
    setFaults(Result.isFailure(body) ? body.failure : {})
    if (Result.isFailure(body)) {
      // Once the fields have their errors, the reader is brought to the first one.
      requestAnimationFrame(() => form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus())
      return
    }
    void run(async () => {
      const { apiKey, key } = await call((api) => api.apiKeys.create({ payload: body.success }))
      onCreated({ rawKey: Redacted.value(key), apiKey })
      void queries.invalidateQueries({ queryKey: apiKeysQuery.queryKey })
    })
  }

  return (
    <Stack gap="md">
      <Head />
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <form ref={form} onSubmit={submit} noValidate>
            <Stack gap="md">
              <TextInput
                label="Name"
                description="What people call it: the program, or the person, that will hold it."
                value={draft.name}
                onChange={(event) => change({ name: event.currentTarget.value })}
                error={faults["name"]}
                maxLength={128}
                autoComplete="off"
                required
                withAsterisk={false}
              />
              <RoleField role={draft.role} onChange={(role) => change({ role })} />
              <RuleFields draft={draft} faults={faults} outer={outer} view={view.data} onChange={change} />
              <ExpiryFields
                expiry={draft.expiry}
                fault={faults["expire"] ?? (failure?.field === "expire" ? failure.message : undefined)}
                onChange={(expiry) => change({ expiry })}
              />
              {failure === undefined ? undefined : <FailureAlert failure={failure} />}
              {Object.keys(faults).length === 0 ? undefined : (
                <Text size="sm" c="red" role="alert">
                  Something is missing above, or not as it should be.
                </Text>
              )}
              <Group>
                <Button type="submit" loading={isRunning}>
                  Create key
                </Button>
                <Button component={Link} to={PLACES.apiKeys} variant="default">
                  Cancel
                </Button>
              </Group>
            </Stack>
          </form>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <RulePreview rule={toRule(draft)} />
        </Grid.Col>
      </Grid>
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
      <Text c="dimmed">The key itself is shown once, when it is made.</Text>
    </div>
  )
}

const RoleField = ({ onChange, role }: { readonly role: Role; readonly onChange: (role: Role) => void }) => (
  <Radio.Group
    label="Role"
    value={role}
    onChange={(value) => onChange(ROLES.find(([one]) => one === value)?.[0] ?? "Viewer")}
  >
    <Stack gap="xs" mt={6}>
      {ROLES.map(([one, description]) => (
        <Radio key={one} value={one} label={one} description={description} />
      ))}
    </Stack>
  </Radio.Group>
)
