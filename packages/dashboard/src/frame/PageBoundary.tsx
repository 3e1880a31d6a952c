/**
 * Shown instead of a page whose code did not load or threw an error.
 */
import { Alert, Button, Group, Stack, Text } from "@mantine/core"
import { Component, type ReactNode } from "react"

interface Props {
  readonly children: ReactNode
}

export class PageBoundary extends Component<Props, { readonly failure: string | undefined }> {
  override state: { readonly failure: string | undefined } = { failure: undefined }

  static getDerivedStateFromError(error: unknown) {
    return { failure: error instanceof Error ? error.message : String(error) }
  }

  override render(): ReactNode {
    const { failure } = this.state
    if (failure === undefined) return this.props.children
    return (
      <Alert role="alert" color="red" title="This page could not be shown">
        <Stack gap="xs">
          <Text size="sm">
            The server may have been updated since the page was opened, or the network failed. Reload the page.
          </Text>
          <Text size="xs" className="qd-text">
            {failure}
          </Text>
          <Group>
            <Button size="xs" variant="default" onClick={() => globalThis.location.reload()}>
              Reload
            </Button>
          </Group>
        </Stack>
      </Alert>
    )
  }
}
