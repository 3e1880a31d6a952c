/**
 * The page of one key: renames and describes it, and narrows its rule and addresses.
 */
import { Alert, Anchor, Stack, Text, TextInput, Title } from "@mantine/core"
import type { UpdateApiKey } from "@quarterdeck/contract/ApiKeysGroup"
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { Result } from "effect"
import { useState } from "react"
import { Link, useNavigate, useParams } from "react-router"
import { ApiFailure, call } from "../api/Client.ts"
import { apiKeyQuery, KEYS } from "../api/KeyQueries.ts"
import { namespacesQuery } from "../api/Queries.ts"
import { sessionQuery } from "../api/Session.ts"
import type { ApiKey } from "../api/Shapes.ts"
import { useCaller } from "../frame/Caller.ts"
import { PLACES } from "../frame/places.ts"
import { useTitle } from "../frame/useTitle.ts"
import { FailureAlert } from "../feedback/FailureAlert.tsx"
import { Loading } from "../feedback/PageState.tsx"
import { useTarget } from "../clusterScope/useTarget.ts"
import { AddressField } from "./AddressField.tsx"
import { AdminsOnly } from "./AdminsOnly.tsx"
import { DescriptionField } from "./DescriptionField.tsx"
import { ForceField } from "./ForceField.tsx"
import { changeOf, fieldOf, toChange } from "./KeyDraft.ts"
import { KeyForm } from "./KeyForm.tsx"
import { RoleField } from "./RoleField.tsx"
import { RotatedFrom } from "./RotatedFrom.tsx"
import { RuleFields } from "./RuleFields.tsx"
import { useDraft } from "../form/useDraft.ts"

export const ChangeKeyPage = () => {
  const { id = "" } = useParams()
  const heading = useTitle("Rename or narrow a key")
  const { linkTo } = useTarget()
  const isAdmin = useCaller().rule.role === "Admin"
  const key = useQuery({ ...apiKeyQuery(id), enabled: isAdmin })
  return (
    <Stack gap="md">
      <div>
        <Text size="sm">
          <Anchor component={Link} to={linkTo(PLACES.apiKeys)} underline="always">
            API Keys
          </Anchor>
        </Text>
        <Title order={1} size="h2" ref={heading} tabIndex={-1} className="qd-text">
          {key.data === undefined ? "Rename or narrow a key" : `Rename or narrow ${key.data.name}`}
        </Title>
        <Predecessor id={key.data?.rotatedFrom} />
        <Text c="dimmed">
          A key's rule can only be narrowed, so only its current clusters and namespaces are offered.
        </Text>
      </div>
      {isAdmin ? undefined : <AdminsOnly />}
      {key.error instanceof ApiFailure ? (
        <FailureAlert failure={key.error} onRetry={() => void key.refetch()} />
      ) : undefined}
      {key.isLoading ? <Loading what="the key" /> : undefined}
      {key.data === undefined ? undefined : <Change key={key.data.id} apiKey={key.data} />}
    </Stack>
  )
}

/** The key that this one replaces. **Shape** shown by its id if the caller may not see that key. */
const Predecessor = ({ id }: { readonly id: string | undefined }) => {
  const predecessor = useQuery({ ...apiKeyQuery(id ?? ""), enabled: id !== undefined, retry: false })
  return id === undefined ? undefined : <RotatedFrom id={id} start={predecessor.data?.start} />
}

const Change = ({ apiKey }: { readonly apiKey: ApiKey }) => {
  if (apiKey.source === "configured") {
    return (
      <Alert color="blue" title="This key comes from the deployment's configuration">
        Change it there.
      </Alert>
    )
  }
  if (apiKey.status === "revoked" || apiKey.status === "expired") {
    return (
      <Alert color="blue" title={`This key is ${apiKey.status}`}>
        It cannot be changed. Create another key.
      </Alert>
    )
  }
  return <ChangeForm apiKey={apiKey} />
}

const ChangeForm = ({ apiKey: latest }: { readonly apiKey: ApiKey }) => {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const { linkTo } = useTarget()
  const view = useQuery(namespacesQuery)
  // The form keeps the key as it was when the page opened. The server validates against later changes.
  const [apiKey] = useState(latest)
  const form = useDraft(() => changeOf(apiKey), fieldOf)
  const [isForced, setForced] = useState(false)
  const { change, draft, failure, errors, run } = form
  const body = toChange(draft, apiKey)

  const send = async (payload: UpdateApiKey) => {
    const isDone = await run(async () => {
      const query = isForced ? ({ force: "true" } as const) : {}
      await call((api) => api.apiKeys.update({ params: { id: apiKey.id }, query, payload }))
      await queries.invalidateQueries({ queryKey: KEYS })
      await queries.invalidateQueries({ queryKey: sessionQuery.queryKey })
    })
    if (isDone) void navigate(linkTo(PLACES.apiKeys))
  }

  return (
    <KeyForm
      form={form}
      body={body}
      onSend={(payload) => void send(payload)}
      verb="Save"
      isUnchanged={Result.isSuccess(body) && Object.keys(body.success).length === 0}
      back={linkTo(PLACES.apiKeys)}
    >
      <TextInput
        label="Name"
        value={draft.name}
        onChange={(event) => change({ name: event.currentTarget.value })}
        error={errors["name"]}
        maxLength={128}
        autoComplete="off"
      />
      <DescriptionField draft={draft} errors={errors} onChange={change} />
      <RoleField role={draft.role} highest={apiKey.rule.role} onChange={(role) => change({ role })} />
      <RuleFields draft={draft} errors={errors} outer={apiKey.rule} view={view.data} onChange={change} />
      <AddressField draft={draft} errors={errors} outer={apiKey.allowFrom} onChange={change} />
      {failure === undefined ? undefined : <FailureAlert failure={failure} />}
      <ForceField label="Narrow the last Admin anyway" failure={failure} isForced={isForced} onChange={setForced} />
    </KeyForm>
  )
}
