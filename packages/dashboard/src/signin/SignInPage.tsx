/**
 * The sign-in page: by key or at the organization's identity provider. It shows the reason if a session has ended.
 */
import { Alert, Button, Center, Code, Divider, Paper, PasswordInput, Stack, Text, Title } from "@mantine/core"
import { useQueryClient } from "@tanstack/react-query"
import { type SyntheticEvent, useEffect, useRef, useState } from "react"
import type { ApiFailure } from "../api/Client.ts"
import { followSignIn, signIn } from "../api/Session.ts"
import { useAction } from "../api/useAction.ts"
import icon from "../frame/icon.svg"
import { useTitle } from "../frame/useTitle.ts"
import * as IdentityProvider from "../api/IdentityProvider.ts"
import { FailureAlert } from "../feedback/FailureAlert.tsx"
import * as KeyText from "./KeyText.ts"

/** Titles and texts for the end of a session. */
const REASONS: Readonly<Record<string, readonly [title: string, text: string]>> = {
  key_revoked: ["You were signed out: your key was revoked", "An Admin has revoked it. Ask an Admin for a new one."],
  key_expired: ["You were signed out: your key has expired", "Ask an Admin for a new one."],
  invalid_key: [
    "You were signed out: your key no longer exists",
    "This server no longer knows the key that you signed in with. Ask an Admin for a new one."
  ],
  session_ended: [
    "You were signed out",
    "A session ends when it is signed out elsewhere, after 12 hours without use, or after 7 days."
  ]
}

export const SignInPage = ({ reason }: { readonly reason: ApiFailure | undefined }) => {
  useTitle("Sign in")
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  const queries = useQueryClient()
  useEffect(() => followSignIn(queries), [queries])
  const [key, setKey] = useState("")
  const [error, setError] = useState<string>()
  const { failure, isRunning, run } = useAction({ signsIn: true })

  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    const text = key.trim()
    const problem = KeyText.errorOf(text)
    setError(problem)
    if (problem === undefined) void run(() => signIn(queries, text))
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
                One API for all your Kubernetes clusters.
              </Text>
            </div>
            {reason === undefined || failure !== undefined ? undefined : <Left reason={reason} />}
            {IdentityProvider.refusal === undefined || failure !== undefined ? undefined : (
              <Alert role="alert" color="yellow" title={IdentityProvider.refusal[0]}>
                <Text size="sm">{IdentityProvider.refusal[1]}</Text>
              </Alert>
            )}
            {failure === undefined ? undefined : <FailureAlert failure={failure} />}
            <PasswordInput
              label="API key"
              description="The key is not stored in the browser. You get a session cookie that scripts cannot read."
              placeholder="qd_…"
              value={key}
              onChange={(event) => setKey(KeyText.withoutScheme(event.currentTarget.value))}
              error={error}
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
            {IdentityProvider.isConfigured ? (
              <>
                <Divider label="or" />
                <Button component="a" href={IdentityProvider.loginAddress(location.hash)} variant="default" fullWidth>
                  Sign in with your organization
                </Button>
              </>
            ) : undefined}
            <Text size="sm" c="dimmed">
              The first key of a server is in the file that the setting <Code>keys.bootstrapFile</Code> names. Create
              other keys under Users &gt; API Keys.
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
