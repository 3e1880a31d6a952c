/**
 * Placeholders of a page that is loading or has no rows.
 */
import { Paper, Skeleton, Stack, Text, Title, VisuallyHidden } from "@mantine/core"
import type { ReactNode } from "react"

export const Loading = ({ what }: { readonly what: string }) => (
  <Stack gap="sm" role="status" aria-live="polite">
    <VisuallyHidden>Loading {what}</VisuallyHidden>
    {[0, 1, 2, 3].map((row) => (
      <Skeleton key={row} height={44} />
    ))}
  </Stack>
)

interface EmptyProps {
  readonly title: string
  readonly children: ReactNode
  readonly action?: ReactNode
}

export const Empty = ({ action, children, title }: EmptyProps) => (
  <Paper withBorder p="xl">
    <Stack align="center" gap="sm" ta="center">
      <Title order={2} size="h4">
        {title}
      </Title>
      <Text c="dimmed" maw={460}>
        {children}
      </Text>
      {action}
    </Stack>
  </Paper>
)
