/**
 * A text with a button that copies it.
 */
import { Button, Code, CopyButton, Stack } from "@mantine/core"

interface Props {
  readonly text: string
  readonly label: string
}

export const CopyText = ({ label, text }: Props) => (
  <Stack gap={6} align="flex-start">
    <Code block className="qd-secret">
      {text}
    </Code>
    <CopyButton value={text}>
      {({ copied, copy }) => (
        <Button size="compact-sm" variant="default" onClick={copy}>
          {copied ? "Copied" : label}
        </Button>
      )}
    </CopyButton>
  </Stack>
)
