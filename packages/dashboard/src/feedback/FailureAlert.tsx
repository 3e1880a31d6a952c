/**
 * What went wrong, with the code and the id by which the server's log knows it.
 */
import { Alert, Button, Code, Group, Stack, Text } from "@mantine/core"
import type { ReactNode } from "react"
import type { ApiFailure } from "../api/Client.ts"

/** What a code means to a reader, where the server's words are those of a program. */
const TITLES: Readonly<Record<string, string>> = {
  invalid_key: "This key is not known here",
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

/** The server's details begin in lower case, to stand behind a colon. */
const sentence = (detail: string): string => {
  const text = detail.charAt(0).toUpperCase() + detail.slice(1)
  return /[.!?]$/.test(text) ? text : `${text}.`
}
