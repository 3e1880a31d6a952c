/**
 * A raw key, shown once, with snippets that use it.
 */
import { Alert, Button, Code, CopyButton, Group, Paper, Stack, Text, Title } from "@mantine/core"
import { type ReactNode, useEffect, useState } from "react"
import { serverUrl } from "../api/Client.ts"
import type { ApiKey } from "../api/Shapes.ts"
import { curl, hashOf, helmEntry, mcpEntry } from "./Snippets.ts"

interface Props {
  readonly rawKey: string
  readonly apiKey: ApiKey
}

export const KeySecret = ({ apiKey, rawKey }: Props) => {
  const [hash, setHash] = useState<string>()
  useEffect(() => {
    let isShown = true
    const show = async () => {
      const hash = await hashOf(rawKey)
      if (isShown) setHash(hash)
    }
    void show()
    return () => {
      isShown = false
    }
  }, [rawKey])

  return (
    <>
      <Alert color="yellow" title="Copy the key now">
        The key is shown only once. The server stores only its hash, so the key cannot be shown again.
      </Alert>
      <Snippet title="The key" text={rawKey} copyLabel="Copy the key" />
      <Snippet title="First request" text={curl(serverUrl, rawKey)} copyLabel="Copy the request">
        Lists the clusters in the key's scope.
      </Snippet>
      <Snippet title="For an MCP client" text={mcpEntry(serverUrl, rawKey)} copyLabel="Copy the entry">
        Gives a model the access of this key.
      </Snippet>
      {hash === undefined ? (
        <Text size="sm" c="dimmed">
          The entry for Helm values contains the key's hash. Browsers compute it only on HTTPS pages. Use{" "}
          <Code>quarterdeck key hash</Code> instead.
        </Text>
      ) : (
        <Snippet title="Helm values, for another deployment" text={helmEntry(apiKey, hash)} copyLabel="Copy the values">
          The configuration contains only the hash. This server already has the key.
        </Snippet>
      )}
    </>
  )
}

interface SnippetProps {
  readonly title: string
  readonly text: string
  readonly copyLabel: string
  readonly children?: ReactNode
}

const Snippet = ({ children, copyLabel, text, title }: SnippetProps) => (
  <Paper withBorder p="md" component="section" aria-label={title}>
    <Stack gap="xs">
      <Group justify="space-between">
        <Title order={2} size="h5">
          {title}
        </Title>
        <CopyButton value={text}>
          {({ copied, copy }) => (
            <Button size="xs" variant={copied ? "filled" : "default"} onClick={copy}>
              {copied ? "Copied" : copyLabel}
            </Button>
          )}
        </CopyButton>
      </Group>
      {children === undefined ? undefined : (
        <Text size="sm" c="dimmed">
          {children}
        </Text>
      )}
      <Code block className="qd-secret">
        {text}
      </Code>
    </Stack>
  </Paper>
)
