/**
 * Which key another one replaces.
 */
import { Code, Text } from "@mantine/core"

interface Props {
  readonly id: string
  /** The first characters of its secret, where they are known: they stand in the list, too. */
  readonly start: string | undefined
}

export const RotatedFrom = ({ id, start }: Props) => (
  <Text size="xs" c="dimmed" className="qd-text" title={id}>
    Rotated from <Code>{start === undefined ? id : `${start}…`}</Code>
  </Text>
)
