/**
 * A named value on a detail page.
 */
import { Text } from "@mantine/core"
import type { ReactNode } from "react"

export const Fact = ({ children, name }: { readonly name: string; readonly children: ReactNode }) => (
  <div className="qd-fact">
    <Text size="xs" c="dimmed" mb={2}>
      {name}
    </Text>
    {/* A `div`: the value may hold badges and lists. */}
    <Text component="div" className="qd-text">
      {children}
    </Text>
  </div>
)
