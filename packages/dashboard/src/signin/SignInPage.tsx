/**
 * Signing in with a key, or at the organization's identity provider; and why the page was left, where somebody was signed in before.
 */
import { Alert, Button, Center, Code, Divider, Paper, PasswordInput, Stack, Text, Title } from "@mantine/core"
import { useQueryClient } from "@tanstack/react-query"
import { type SyntheticEvent, useEffect, useRef, useState } from "react"
import type { ApiFailure } from "../api/Client.ts"
import { signIn } from "../api/Session.ts"
import { useAction } from "../api/useAction.ts"
import icon from "../frame/icon.svg"
import { useTitle } from "../frame/useTitle.ts"
import * as Provider from "../api/IdentityProvider.ts"
import { FailureAlert } from "../feedback/FailureAlert.tsx"

/** What somebody reads who was signed in a moment ago. */
const REASONS: Readonly<Record<string, readonly [title: string, text: string]>> = {
  key_revoked: [
    "You were signed out: your key was revoked",
    "Somebody who manages keys has revoked it. Ask them for a new one."
  ],
  key_expired: [
    "You were signed out: your key has expired",
    "It was made to last until now. Ask somebody who manages keys for a new one."
  ],
  invalid_key: [
    "You were signed out: your key is gone",
    "The key that you signed in with is no longer known to this server. Ask somebody who manages keys for a new one."
  ],
  session_ended: [
    "You were signed out",
    "Sessions end when they are signed out elsewhere, after 12 hours without use, and after 7 days."
  ]
}

export const SignInPage = ({ reason }: { readonly reason: ApiFailure | undefined }) => {
  useTitle("Sign in")
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  const queries = useQueryClient()
  const [key, setKey] = useState("")
  const [isEmpty, setEmpty] = useState(false)
  const { failure, isRunning, run } = useAction({ signsIn: true })

  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    const text = key.trim()
    setEmpty(text === "")
    if (text !== "") void run(() => signIn(queries, text))
  }

  return (
    <Center mih="100vh" p="md" component="main">
      <Paper withBorder p={{ base: "lg", xs: "xl" }} w="100%" maw={440}>
        <form onSubmit={submit} noValidate>
          <Stack gap="md">
            <img src={icon} alt="" width={44} height={44} />
            <div>
              <Title order={1} size="h2">
                Sign in to Quarterdeck
              </Title>
              <Text c="dimmed" mt={4}>
                One address over your Kubernetes clusters.
              </Text>
            </div>
            {reason === undefined || failure !== undefined ? undefined : <Left reason={reason} />}
            {Provider.refusal === undefined || failure !== undefined ? undefined : (
              <Alert role="alert" color="yellow" title={Provider.refusal[0]}>
                <Text size="sm">{Provider.refusal[1]}</Text>
              </Alert>
            )}
            {failure === undefined ? undefined : <FailureAlert failure={failure} />}
            <PasswordInput
              label="API key"
              description="It is not kept: you get a session, in a cookie that no page can read."
              placeholder="qd_…"
              value={key}
              onChange={(event) => setKey(event.currentTarget.value)}
              error={isEmpty ? "Paste your key here" : undefined}
              autoComplete="off"
              spellCheck={false}
              visibilityToggleButtonProps={{ "aria-label": "Show or hide the key", tabIndex: 0 }}
              ref={field}
              required
              withAsterisk={false}
            />
            <Button type="submit" loading={isRunning} fullWidth>
              Sign in
            </Button>
            {Provider.isThere ? (
              <>
                <Divider label="or" />
                <Button component="a" href={Provider.loginAddress(location.hash)} variant="default" fullWidth>
                  Sign in with your organization
                </Button>
              </>
            ) : undefined}
            <Text size="sm" c="dimmed">
              The first key of a server is in the file that <Code>keys.bootstrapFile</Code> names; every other one is
              made under Users &gt; API Keys.
            </Text>
          </Stack>
        </form>
      </Paper>
    </Center>
  )
}

const Left = ({ reason }: { readonly reason: ApiFailure }) => {
  const [title, text] = REASONS[reason.code] ?? ["You were signed out", reason.message]
  return (
    <Alert role="alert" color="yellow" title={title}>
      <Text size="sm">{text}</Text>
      <Text size="xs" mt="xs">
        Code <Code>{reason.code}</Code>
      </Text>
    </Alert>
  )
}
