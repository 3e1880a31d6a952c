/**
 * The list of events: rows, or cards on a narrow screen. Only visible ones are rendered.
 */
import { Text, UnstyledButton } from "@mantine/core"
import { useMediaQuery } from "@mantine/hooks"
import * as AuditSentence from "@quarterdeck/contract/AuditSentence"
import { memo, type ReactNode } from "react"
import type { AuditEvent } from "../api/AuditTail.ts"
import { ExactTime } from "../feedback/Instant.tsx"
import { useVirtualRows } from "../feedback/useVirtualRows.ts"
import * as AuditText from "./AuditText.ts"

interface Props {
  readonly events: ReadonlyArray<AuditEvent>
  readonly onOpen: (event: AuditEvent) => void
  /** Called when the user scrolls near the last loaded row. */
  readonly onNearEnd: () => void
}

interface Column {
  readonly title: string
  readonly cell: (event: AuditEvent, onOpen: Props["onOpen"]) => ReactNode
}

const COLUMNS: ReadonlyArray<Column> = [
  { title: "Time", cell: ({ at }) => <ExactTime at={at} isBrief /> },
  {
    title: "Event",
    cell: (event, onOpen) => (
      <UnstyledButton
        fz="sm"
        className="qd-name"
        title={AuditSentence.print(event)}
        data-decision={event.decision}
        onClick={() => onOpen(event)}
      >
        <span className={`qd-dot qd-dot-${AuditText.color(event)}`} /> {AuditSentence.print(event)}
      </UnstyledButton>
    )
  },
  { title: "Caller", cell: (event) => AuditText.caller(event) },
  { title: "Outcome", cell: (event) => AuditText.outcome(event) },
  { title: "From", cell: ({ address, via }) => `${address}, ${via}` }
]

/** Height of a row in a wide window, and of a card in a narrow one, in pixels. */
const ROW_HEIGHT = 44
const CARD_HEIGHT = 122

export const AuditRows = ({ events, onNearEnd, onOpen }: Props) => {
  const isWide = useMediaQuery("(min-width: 75em)", false, { getInitialValueInEffect: false })
  const { list, rows, totalHeight } = useVirtualRows({
    count: events.length,
    rowHeight: isWide ? ROW_HEIGHT : CARD_HEIGHT,
    keyOf: (index) => events[index]?.id ?? index,
    onNearEnd
  })
  return (
    <div role="table" aria-label="Events" className="qd-rows qd-events" data-wide={isWide}>
      <div role="rowgroup" className="qd-rows-head">
        <div role="row" aria-rowindex={1} className="qd-row">
          {COLUMNS.map(({ title }) => (
            <Text key={title} component="div" role="columnheader" size="sm" fw={600} className="qd-cell">
              {title}
            </Text>
          ))}
        </div>
      </div>
      <div role="rowgroup" ref={list} className="qd-rows-body" style={{ height: totalHeight }}>
        {rows.map(({ height, index, key, offset }) => {
          const event = events[index]
          return event === undefined ? undefined : (
            <Row key={key} event={event} index={index} height={height} offset={offset} onOpen={onOpen} />
          )
        })}
      </div>
    </div>
  )
}

interface RowProps extends Pick<Props, "onOpen"> {
  readonly event: AuditEvent
  readonly index: number
  /** Height of the row and its offset from the top of the list, in pixels. */
  readonly height: number
  readonly offset: number
}

const Row = memo(({ event, height, index, offset, onOpen }: RowProps) => (
  <div
    role="row"
    aria-rowindex={index + 2}
    data-event={event.id}
    className="qd-row"
    style={{ height, transform: `translateY(${offset}px)` }}
  >
    {COLUMNS.map(({ cell, title }) => (
      <div key={title} role="cell" className="qd-cell" data-title={title}>
        {cell(event, onOpen)}
      </div>
    ))}
  </div>
))
