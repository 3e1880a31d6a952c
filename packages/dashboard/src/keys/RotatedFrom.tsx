/**
 * The key that another one replaces.
 */
import { Code, Text } from "@mantine/core"

interface Props {
  readonly id: string
  /** First characters of the raw key, if known. The list shows them too. */
  readonly start: string | undefined
}

export const RotatedFrom = ({ id, start }: Props) => (
  <Text size="xs" c="dimmed" className="qd-text" title={id}>
    Rotated from <Code>{start === undefined ? id : `${start}…`}</Code>
  </Text>
)
