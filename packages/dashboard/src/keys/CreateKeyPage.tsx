/**
 * Users > API Keys > Create API Key.
 */
import { Anchor, Button, Grid, Group, Stack, Text, TextInput, Title } from "@mantine/core"
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { DateTime, Redacted, Result } from "effect"
import { type SyntheticEvent, useRef, useState } from "react"
import { Link } from "react-router"
import { call } from "../api/Client.ts"
import { KEYS } from "../api/KeyQueries.ts"
import { namespacesQuery } from "../api/Queries.ts"
import type { ApiKey } from "../api/Shapes.ts"
import { useAction } from "../api/useAction.ts"
import { useCaller } from "../app/Caller.ts"
import { PLACES } from "../app/places.ts"
import { useTitle } from "../app/useTitle.ts"
import { FailureAlert } from "../feedback/FailureAlert.tsx"
import { CreatedKey } from "./CreatedKey.tsx"
import { ExpiryFields } from "./ExpiryFields.tsx"
import { type Faults, faultsOf, type KeyDraft, selectorsInside, toBody, toRule } from "./KeyDraft.ts"
import { RoleField } from "./RoleField.tsx"
import { RuleFields } from "./RuleFields.tsx"
import { RulePreview } from "./RulePreview.tsx"

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

const USUAL_DAYS = 90

/** Begins with what the maker may give: no key outlives the one that makes it. */
const draftInside = ({ expiresAt, rule }: ApiKey): KeyDraft => {
  const usualEnd = DateTime.add(DateTime.nowUnsafe(), { days: USUAL_DAYS })
  const isShorter = expiresAt !== undefined && DateTime.isLessThan(expiresAt, usualEnd)
  return {
    name: "",
    role: "Viewer",
    clusters: rule.targetClusters,
    selectors: selectorsInside(rule),
    expiry: isShorter ? { _tag: "Never" } : { _tag: "After", count: String(USUAL_DAYS), unit: "d" }
  }
}

const KeyForm = ({ onCreated }: { readonly onCreated: (created: Created) => void }) => {
  const form = useRef<HTMLFormElement>(null)
  const queries = useQueryClient()
  const caller = useCaller()
  const { rule: outer } = caller
  const view = useQuery(namespacesQuery)
  const [draft, setDraft] = useState(() => draftInside(caller))
  const [missing, setMissing] = useState<Faults>({})
  const { clear, failure, isRunning, run } = useAction()
  const faults = { ...faultsOf(failure), ...missing }

  const change = (part: Partial<KeyDraft>) => {
    setDraft((before) => ({ ...before, ...part }))
    setMissing({})
    clear()
  }

  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    const body = toBody(draft)
    setMissing(Result.isFailure(body) ? body.failure : {})
    if (Result.isFailure(body)) {
      // Once the fields have their errors, the reader is brought to the first one.
      requestAnimationFrame(() => form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus())
      return
    }
    void run(async () => {
      const { apiKey, key } = await call((api) => api.apiKeys.create({ payload: body.success }))
      onCreated({ rawKey: Redacted.value(key), apiKey })
      void queries.invalidateQueries({ queryKey: KEYS })
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
              <RoleField role={draft.role} highest={outer.role} onChange={(role) => change({ role })} />
              <RuleFields draft={draft} faults={faults} outer={outer} view={view.data} onChange={change} />
              <ExpiryFields
                expiry={draft.expiry}
                fault={faults["expire"]}
                latest={caller.expiresAt}
                onChange={(expiry) => change({ expiry })}
              />
              {failure === undefined ? undefined : <FailureAlert failure={failure} />}
              {Object.keys(missing).length === 0 ? undefined : (
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
