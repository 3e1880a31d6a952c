/**
 * The labels of a row.
 */
import { Code, Group, Text } from "@mantine/core"

interface LabelListProps {
  readonly labels: Readonly<Record<string, string>>
  /** True if the server left labels out. A reply has at most 64 labels and 8 KiB of them. */
  readonly isTruncated: boolean
}

export const LabelList = ({ isTruncated, labels }: LabelListProps) => (
  <Group gap={6}>
    {Object.entries(labels).map(([key, value]) => (
      <Code key={key} className="qd-text">
        {key}={value}
      </Code>
    ))}
    {isTruncated ? (
      <Text size="sm" c="dimmed">
        The cluster has more labels than are shown here.
      </Text>
    ) : undefined}
  </Group>
)
