/**
 * The page of the caller's own key.
 */
import { Button, Code, Group, Paper, SimpleGrid, Stack, Text, Title } from "@mantine/core"
import { useQueryClient } from "@tanstack/react-query"
import { type ReactNode, useState } from "react"
import { signOut } from "../api/Session.ts"
import { useAction } from "../api/useAction.ts"
import { useCaller } from "../frame/Caller.ts"
import { useTitle } from "../frame/useTitle.ts"
import { FailureAlert } from "../feedback/FailureAlert.tsx"
import { Instant } from "../feedback/Instant.tsx"
import * as IdentityProvider from "../api/IdentityProvider.ts"
import { RevokeDialog } from "./RevokeDialog.tsx"
import { RotateDialog } from "./RotateDialog.tsx"
import { RuleText } from "./RuleText.tsx"
import { StatusBadge } from "./StatusBadge.tsx"

export const OwnKeyPage = () => {
  const caller = useCaller()
  const isPerson = IdentityProvider.isPerson(caller)
  const title = isPerson ? "You" : "Your key"
  const heading = useTitle(title)
  const queries = useQueryClient()
  const [isRevoking, setRevoking] = useState(false)
  const [isRotating, setRotating] = useState(false)
  const { failure, isRunning, run } = useAction()
  const isConfigured = caller.source === "configured"
  return (
    <Stack gap="md">
      <div>
        <Title order={1} size="h2" ref={heading} tabIndex={-1}>
          {title}
        </Title>
        <Text c="dimmed">The key of your session.</Text>
      </div>
      <Paper withBorder p="lg">
        <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} spacing="lg">
          <Fact name="Name">
            <Text className="qd-text">{caller.name}</Text>
          </Fact>
          <Fact name="Status">
            <StatusBadge status={caller.status} />
          </Fact>
          <Fact name="Role">{caller.rule.role}</Fact>
          <Fact name="Scope">
            <RuleText rule={caller.rule} />
          </Fact>
          {caller.description === undefined ? undefined : (
            <Fact name="Description">
              <Text className="qd-text">{caller.description}</Text>
            </Fact>
          )}
          <Fact name="Allowed from">{caller.allowFrom?.join(", ") ?? "Anywhere"}</Fact>
          <Fact name="Expires">
            <Instant at={caller.expiresAt} none="Never" />
          </Fact>
          <Fact name="Last used">
            <Instant at={caller.lastUsedAt} none={isConfigured ? "Not recorded" : "Within the last minute"} />
          </Fact>
          <Fact name="Origin">{isConfigured ? "Deployment's configuration" : "Created here"}</Fact>
          <Fact name="Id">
            <Code className="qd-text">{caller.id}</Code>
          </Fact>
        </SimpleGrid>
      </Paper>
      {failure === undefined ? undefined : <FailureAlert failure={failure} />}
      <Group>
        <Button variant="default" loading={isRunning} onClick={() => void run(() => signOut(queries, true))}>
          Sign out everywhere
        </Button>
        {isConfigured ? undefined : (
          <>
            <Button variant="default" onClick={() => setRotating(true)}>
              Rotate this key
            </Button>
            <Button variant="filled" color="red.9" onClick={() => setRevoking(true)}>
              Revoke this key
            </Button>
          </>
        )}
      </Group>
      {isConfigured ? (
        <Text size="sm" c="dimmed">
          {isPerson
            ? "You signed in with your organization. Your access is the rule of one of your groups in the deployment's configuration. The server refreshes your groups every five minutes."
            : "This key comes from the deployment's configuration. Remove it there to revoke it."}
        </Text>
      ) : undefined}
      <RotateDialog apiKey={isRotating ? caller : undefined} onClose={() => setRotating(false)} />
      <RevokeDialog apiKey={isRevoking ? caller : undefined} onClose={() => setRevoking(false)} />
    </Stack>
  )
}

const Fact = ({ children, name }: { readonly name: string; readonly children: ReactNode }) => (
  <div>
    <Text size="xs" c="dimmed" mb={2}>
      {name}
    </Text>
    <Text size="sm" component="div">
      {children}
    </Text>
  </div>
)
