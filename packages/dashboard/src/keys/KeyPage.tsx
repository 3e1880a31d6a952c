/**
 * The page of one key: its rule as a sentence, its descendants, and its newest audit events.
 */
import { Anchor, Button, Code, Group, Paper, SimpleGrid, Stack, Text, Title } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { type ReactNode, useState } from "react"
import { Link, useParams } from "react-router"
import { ApiFailure } from "../api/Client.ts"
import { apiKeyQuery, descendantsQuery } from "../api/KeyQueries.ts"
import type { ApiKey } from "../api/Shapes.ts"
import { useCaller } from "../frame/Caller.ts"
import { auditOfKey, changeKeyPlace, PLACES } from "../frame/places.ts"
import { useTitle } from "../frame/useTitle.ts"
import { FailureAlert } from "../feedback/FailureAlert.tsx"
import { Instant } from "../feedback/Instant.tsx"
import { Loading } from "../feedback/PageState.tsx"
import * as Quantity from "../format/Quantity.ts"
import { useTarget } from "../clusterScope/useTarget.ts"
import { KeyEvents } from "./KeyEvents.tsx"
import { LABELS, marksOf } from "./KeyMarks.ts"
import { Maker } from "./Maker.tsx"
import { RevokeDialog } from "./RevokeDialog.tsx"
import { RotateDialog } from "./RotateDialog.tsx"
import { RotatedFrom } from "./RotatedFrom.tsx"
import * as RuleSentence from "./RuleSentence.ts"
import { RuleText } from "./RuleText.tsx"
import { StatusBadge } from "./StatusBadge.tsx"

export const KeyPage = () => {
  const { id = "" } = useParams()
  const { linkTo } = useTarget()
  const key = useQuery(apiKeyQuery(id))
  const heading = useTitle(key.data === undefined ? "API key" : `API key ${key.data.name}`)
  return (
    <Stack gap="md">
      <div>
        <Text size="sm">
          <Anchor component={Link} to={linkTo(PLACES.apiKeys)} underline="always">
            API Keys
          </Anchor>
        </Text>
        <Group gap="sm">
          <Title order={1} size="h2" ref={heading} tabIndex={-1} className="qd-text">
            {key.data === undefined ? "API key" : key.data.name}
          </Title>
          {key.data === undefined ? undefined : <StatusBadge status={key.data.status} />}
        </Group>
        {key.data === undefined ? undefined : <Text className="qd-text">{RuleSentence.print(key.data)}</Text>}
      </div>
      {key.error instanceof ApiFailure ? (
        <FailureAlert failure={key.error} onRetry={() => void key.refetch()} />
      ) : undefined}
      {key.isLoading ? <Loading what="the key" /> : undefined}
      {key.data === undefined ? undefined : <Details apiKey={key.data} />}
    </Stack>
  )
}

const Details = ({ apiKey }: { readonly apiKey: ApiKey }) => {
  const { rule } = useCaller()
  const { id } = apiKey
  const events = auditOfKey(id)
  return (
    <>
      <Actions apiKey={apiKey} />
      <Facts apiKey={apiKey} />
      {rule.role === "Admin" ? (
        <>
          <KeyEvents
            title="Refused requests"
            parameters={{ keyId: id, decision: "deny" }}
            place={{ ...events, decision: "deny" }}
            none="No request of this key was refused."
          />
          <KeyEvents
            title="Requests"
            parameters={{ keyId: id }}
            place={events}
            none="No events. The audit records changes and refusals; it records reads only if audit.reads is all."
          />
          <KeyEvents
            title="Changes of this key"
            parameters={{ object: id, resource: "apiKeys" }}
            place={{ object: id, resource: "apiKeys", range: "all" }}
            none="No events."
          />
        </>
      ) : undefined}
    </>
  )
}

const Actions = ({ apiKey }: { readonly apiKey: ApiKey }) => {
  const { linkTo } = useTarget()
  const [isRevoking, setRevoking] = useState(false)
  const [isRotating, setRotating] = useState(false)
  const { id, source, status } = apiKey
  if (source === "configured") {
    return (
      <Text size="sm" c="dimmed">
        This key comes from the deployment's configuration. Change or remove it there.
      </Text>
    )
  }
  return (
    <Group>
      {status === "active" || status === "expiring" ? (
        <>
          <Button component={Link} to={linkTo(changeKeyPlace(id))} variant="default">
            Rename or narrow
          </Button>
          <Button variant="default" onClick={() => setRotating(true)}>
            Rotate
          </Button>
        </>
      ) : undefined}
      {status === "revoked" ? undefined : (
        <Button color="red.9" onClick={() => setRevoking(true)}>
          Revoke
        </Button>
      )}
      <RotateDialog apiKey={isRotating ? apiKey : undefined} onClose={() => setRotating(false)} />
      <RevokeDialog apiKey={isRevoking ? apiKey : undefined} onClose={() => setRevoking(false)} />
    </Group>
  )
}

const Facts = ({ apiKey }: { readonly apiKey: ApiKey }) => {
  const { createdAt, createdBy, description, expiresAt, id, lastUsedAt, revokedAt, revokedBy, source, start } = apiKey
  const isConfigured = source === "configured"
  const marks = marksOf(apiKey, new Date().getTime())
  return (
    <Paper withBorder p="md">
      <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} spacing="lg" component="dl" m={0}>
        {description === undefined ? undefined : <Fact name="Description">{description}</Fact>}
        <Fact name="Scope">
          <RuleText rule={apiKey.rule} />
        </Fact>
        <Fact name="Allowed from">{apiKey.allowFrom?.join(", ") ?? "Any address"}</Fact>
        <Fact name="Created">
          {isConfigured ? (
            "Deployment's configuration"
          ) : (
            <>
              <Instant at={createdAt} none="" />
              {createdBy === undefined ? undefined : (
                <>
                  {" "}
                  by <Maker id={createdBy} />
                </>
              )}
            </>
          )}
          {apiKey.rotatedFrom === undefined ? undefined : <Predecessor id={apiKey.rotatedFrom} />}
        </Fact>
        <Fact name="Expires">
          <Instant at={expiresAt} none="Never" />
        </Fact>
        <Fact name="Last used">
          <Instant at={lastUsedAt} none={isConfigured ? "Not recorded" : "Never"} />
        </Fact>
        <Descendants id={id} />
        {marks.length === 0 ? undefined : <Fact name="To review">{marks.map((mark) => LABELS[mark]).join(", ")}</Fact>}
        {revokedAt === undefined ? undefined : (
          <Fact name="Revoked">
            <Instant at={revokedAt} none="" />
            {revokedBy === undefined ? undefined : (
              <>
                {" "}
                by <Maker id={revokedBy} />
              </>
            )}
          </Fact>
        )}
        <Fact name="Id">
          <Code>{id}</Code>
          {start === undefined ? undefined : (
            <Text size="xs" c="dimmed">
              Starts with <Code>{start}</Code>
            </Text>
          )}
        </Fact>
      </SimpleGrid>
    </Paper>
  )
}

/** The key that this one replaces. **Shape** shown by its id if the caller may not see that key. */
const Predecessor = ({ id }: { readonly id: string }) => {
  const predecessor = useQuery({ ...apiKeyQuery(id), retry: false })
  return <RotatedFrom id={id} start={predecessor.data?.start} />
}

/** Number of valid keys that descend from a key. Only an Admin may count them. */
const Descendants = ({ id }: { readonly id: string }) => {
  const { rule } = useCaller()
  const { linkTo } = useTarget()
  const descendants = useQuery({ ...descendantsQuery(id), enabled: rule.role === "Admin", retry: false })
  if (rule.role !== "Admin") return undefined
  return (
    <Fact name="Descendants">
      {descendants.data === undefined ? Quantity.UNKNOWN : Quantity.counted(descendants.data, "valid key")}{" "}
      <Anchor component={Link} to={linkTo(PLACES.apiKeys, { createdBy: id })} size="sm" underline="always">
        Keys created by it
      </Anchor>
    </Fact>
  )
}

const Fact = ({ children, name }: { readonly name: string; readonly children: ReactNode }) => (
  <div>
    <Text component="dt" size="xs" c="dimmed">
      {name}
    </Text>
    <Text component="dd" m={0} size="sm" className="qd-text">
      {children}
    </Text>
  </div>
)
