/**
 * A container that scrolls a table wider or longer than its space, also by keyboard.
 */
import { Table } from "@mantine/core"
import type { ReactNode } from "react"

interface Props {
  readonly label: string
  /** Minimum width and maximum height of the table, in pixels. */
  readonly minWidth: number
  readonly maxHeight?: number
  readonly children: ReactNode
}

export const ScrollTable = ({ children, label, maxHeight, minWidth }: Props) => (
  <Table.ScrollContainer
    type="native"
    minWidth={minWidth}
    {...(maxHeight === undefined ? {} : { maxHeight })}
    tabIndex={0}
    role="region"
    aria-label={label}
  >
    {children}
  </Table.ScrollContainer>
)
