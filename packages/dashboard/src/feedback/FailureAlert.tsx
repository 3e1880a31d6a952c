/**
 * An error with its code and the request id, which the server's log has too.
 */
import { Alert, Button, Code, Group, Stack, Text } from "@mantine/core"
import type { ReactNode } from "react"
import type { ApiFailure } from "../api/Client.ts"

/** Titles for users where the server's titles are technical. */
const TITLES: Readonly<Record<string, string>> = {
  invalid_key: "This server does not know the key",
  key_expired: "This key has expired",
  key_revoked: "This key was revoked",
  role_forbidden: "Your key does not allow this",
  rule_not_contained: "The rule reaches further than your own key",
  no_answer: "The server does not answer"
}

const titleOf = ({ code, title }: ApiFailure): string => TITLES[code] ?? title

interface Props {
  readonly failure: ApiFailure
  readonly onRetry?: () => void
  readonly children?: ReactNode
}

export const FailureAlert = ({ children, failure, onRetry }: Props) => (
  <Alert role="alert" color="red" variant="light" title={titleOf(failure)}>
    <Stack gap="xs">
      <Text size="sm" className="qd-text">
        {sentence(failure.message)}
      </Text>
      {children}
      <Group gap="xs">
        <Text size="xs">
          Code <Code>{failure.code}</Code>
        </Text>
        {failure.requestId === undefined ? undefined : (
          <Text size="xs" className="qd-text">
            Request <Code>{failure.requestId}</Code>
          </Text>
        )}
      </Group>
      {onRetry === undefined ? undefined : (
        <Group>
          <Button size="xs" variant="default" onClick={onRetry}>
            Try again
          </Button>
        </Group>
      )}
    </Stack>
  </Alert>
)

/** Makes a sentence of the server's detail, which starts in lower case and has no full stop. */
const sentence = (detail: string): string => {
  const text = detail.charAt(0).toUpperCase() + detail.slice(1)
  return /[.!?]$/.test(text) ? text : `${text}.`
}
