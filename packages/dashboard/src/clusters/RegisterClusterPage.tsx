/**
 * The page Clusters > Register a cluster.
 */
import { Alert, Anchor, Button, Group, Radio, Stack, Text, TextInput, Title } from "@mantine/core"
import { useQueryClient } from "@tanstack/react-query"
import { Result } from "effect"
import { type SyntheticEvent, useEffect, useRef, useState } from "react"
import { Link } from "react-router"
import { call } from "../api/Client.ts"
import type { Cluster } from "../api/Shapes.ts"
import { isUnscopedAdmin, useCaller } from "../frame/Caller.ts"
import { PLACES } from "../frame/places.ts"
import { useTitle } from "../frame/useTitle.ts"
import { FailureAlert } from "../feedback/FailureAlert.tsx"
import { type DraftForm, useDraft } from "../form/useDraft.ts"
import { useTarget } from "../clusterScope/useTarget.ts"
import { type ClusterDraft, EMPTY, toBody } from "./ClusterDraft.ts"
import { ConnectionFields } from "./ConnectionFields.tsx"
import { KubeconfigField } from "./KubeconfigField.tsx"
import { RegisteredCluster } from "./RegisteredCluster.tsx"

export const RegisterClusterPage = () => {
  const { rule } = useCaller()
  // After a registration only the cluster's row is kept. The form, with its credentials, is unmounted.
  const [registered, setRegistered] = useState<Cluster>()
  if (registered !== undefined) {
    return <RegisteredCluster cluster={registered} onAnother={() => setRegistered(undefined)} />
  }
  return (
    <Stack gap="md" maw={820}>
      <Head />
      {isUnscopedAdmin(rule) ? (
        <RegisterForm onRegistered={setRegistered} />
      ) : (
        <Alert color="blue" title="Your key cannot register clusters">
          Only an Admin of every cluster and namespace can.
        </Alert>
      )}
    </Stack>
  )
}

const Head = () => {
  const heading = useTitle("Register a cluster")
  const { linkTo } = useTarget()
  return (
    <div>
      <Text size="sm">
        <Anchor component={Link} to={linkTo(PLACES.clusters)} underline="always">
          Clusters
        </Anchor>
      </Text>
      <Title order={1} size="h2" ref={heading} tabIndex={-1}>
        Register a cluster
      </Title>
      <Text c="dimmed">
        The server connects to the cluster first. If that fails, nothing is stored. Credentials are stored encrypted and
        are never shown again.
      </Text>
    </div>
  )
}

/** A draft that is cleared when the user leaves the page, so that the browser's back-forward cache holds no credentials. */
const useClusterDraft = () => {
  const form = useDraft<ClusterDraft>(() => EMPTY)
  const clear = useRef<() => void>(() => undefined)
  useEffect(() => {
    clear.current = () => form.change(EMPTY)
  })
  useEffect(() => {
    const reset = () => clear.current()
    globalThis.addEventListener("pagehide", reset)
    return () => globalThis.removeEventListener("pagehide", reset)
  }, [])
  return form
}

const FAULTY = "[aria-invalid=true], [data-fault=true]"

const KUBECONFIG_FIELDS = ["name", "kubeconfig"]
const PARTS_FIELDS = ["name", "server", "caData", "token", "tlsServerName", "proxyUrl", "labels"]

const RegisterForm = ({ onRegistered }: { readonly onRegistered: (cluster: Cluster) => void }) => {
  const queries = useQueryClient()
  const { linkTo } = useTarget()
  const form = useClusterDraft()
  const { change, draft, errors, isRunning } = form
  const element = useRef<HTMLFormElement>(null)

  const { failure, missing } = form
  // Focuses the first field with an error.
  useEffect(() => {
    if (failure !== undefined || Object.keys(missing).length > 0) {
      element.current?.querySelector<HTMLElement>(FAULTY)?.focus()
    }
  }, [failure, missing])
  const submit = async (event: SyntheticEvent) => {
    event.preventDefault()
    if (isRunning) return
    const body = toBody(draft)
    if (Result.isFailure(body)) {
      form.refuse(body.failure)
      return
    }
    await form.run(async () => {
      const { cluster } = await call((api) => api.clusters.register({ payload: body.success }))
      onRegistered(cluster)
      await queries.invalidateQueries({ queryKey: ["clusters"] })
    })
  }

  return (
    <form ref={element} onSubmit={(event) => void submit(event)} noValidate autoComplete="off">
      <Stack gap="md">
        <TextInput
          label="Name"
          description="Name of the cluster in keys and requests: letters and digits, with . _ - between them."
          value={draft.name}
          onChange={(event) => change({ name: event.currentTarget.value })}
          error={errors["name"]}
          maxLength={253}
          readOnly={isRunning}
          autoComplete="off"
          spellCheck={false}
        />
        <Radio.Group
          label="Connection"
          value={draft.way}
          onChange={(way) => change({ way: way === "parts" ? "parts" : "kubeconfig" })}
        >
          <Group mt="xs">
            <Radio value="kubeconfig" label="A kubeconfig" disabled={isRunning} />
            <Radio value="parts" label="Address, authority and token" disabled={isRunning} />
          </Group>
        </Radio.Group>
        {draft.way === "kubeconfig" ? <KubeconfigField form={form} /> : <ConnectionFields form={form} />}
        <Unplaced form={form} />
        {isRunning ? (
          <Alert color="blue" role="status" title="Connecting to the cluster">
            The server reads the cluster's version and one namespace, and waits up to 5 seconds for each. It continues
            if you leave this page.
          </Alert>
        ) : undefined}
        <Group>
          <Button type="submit" loading={isRunning}>
            Register
          </Button>
          <Button component={Link} to={linkTo(PLACES.clusters)} variant="default">
            Cancel
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** An error that belongs to none of the shown fields. */
const Unplaced = ({ form: { draft, failure, errors } }: { readonly form: DraftForm<ClusterDraft> }) => {
  const shown = draft.way === "kubeconfig" ? KUBECONFIG_FIELDS : PARTS_FIELDS
  const isPlaced = Object.keys(errors).some((field) => shown.includes(field))
  return failure === undefined || isPlaced ? undefined : <FailureAlert failure={failure} />
}
