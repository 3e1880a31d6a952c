/**
 * Keeps a table that is wider than the screen, or longer than its place, within it, for the keyboard too.
 */
import { Table } from "@mantine/core"
import type { ReactNode } from "react"

interface Props {
  readonly label: string
  /** The table's least width and greatest height, in pixels. */
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
