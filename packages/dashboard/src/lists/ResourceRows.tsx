/**
 * Rows of a list, or cards on a narrow screen. Only visible ones are rendered.
 */
import { Text, UnstyledButton } from "@mantine/core"
import { useMediaQuery } from "@mantine/hooks"
import type { ReactNode } from "react"
import type { LastKnown } from "../clusterScope/LastKnown.ts"
import { useVirtualRows } from "../feedback/useVirtualRows.ts"
import type { ResourceFilter } from "./ResourceFilter.ts"

/** A column. **Shape** `sort` is the API's sort key. `width` is a length of CSS grid. A long text gets two lines of a card. */
export interface Column<Row> {
  readonly title: string
  readonly sort?: string
  readonly width: string
  readonly isLong?: boolean
  readonly cell: (row: Row) => ReactNode
}

interface Props<Row> {
  readonly label: string
  readonly columns: ReadonlyArray<Column<Row>>
  readonly rows: ReadonlyArray<Row>
  readonly keyOf: (row: Row) => string
  readonly lastKnown: LastKnown
  readonly filter: ResourceFilter
  readonly onSort: (sort: string) => void
  readonly onNearEnd: () => void
}

/** Height of a row in a wide window, and of a line of a card in a narrow one, in pixels. */
const ROW_HEIGHT = 44
const LINE_HEIGHT = 26
const CARD_PADDING = 20

/** Returns the height of a card: two short texts on a line, two lines for a long one. */
const cardHeightOf = (columns: ReadonlyArray<{ readonly isLong?: boolean }>): number => {
  const long = columns.filter(({ isLong }) => isLong).length
  return (Math.ceil((columns.length - long) / 2) + 2 * long) * LINE_HEIGHT + CARD_PADDING
}

export const ResourceRows = <Row extends { readonly cluster: string }>({
  columns,
  filter,
  keyOf,
  label,
  lastKnown,
  onNearEnd,
  onSort,
  rows
}: Props<Row>) => {
  const isWide = useMediaQuery("(min-width: 75em)", false, { getInitialValueInEffect: false })
  const virtual = useVirtualRows({
    count: rows.length,
    rowHeight: isWide ? ROW_HEIGHT : cardHeightOf(columns),
    keyOf: (index) => {
      const row = rows[index]
      return row === undefined ? index : keyOf(row)
    },
    onNearEnd
  })
  const layout = isWide ? { gridTemplateColumns: columns.map(({ width }) => width).join(" ") } : {}
  return (
    <div role="table" aria-label={label} className="qd-rows" data-wide={isWide}>
      <div role="rowgroup" className="qd-rows-head">
        <div role="row" aria-rowindex={1} className="qd-row" style={layout}>
          {columns.map((column) => (
            <Heading key={column.title} column={column} filter={filter} onSort={onSort} />
          ))}
        </div>
      </div>
      <div role="rowgroup" ref={virtual.list} className="qd-rows-body" style={{ height: virtual.totalHeight }}>
        {virtual.rows.map(({ height, index, key, offset }) => {
          const row = rows[index]
          if (row === undefined) return undefined
          const age = lastKnown.get(row.cluster)
          return (
            <div
              key={key}
              role="row"
              aria-rowindex={index + 2}
              data-row={keyOf(row)}
              className={age === undefined ? "qd-row" : "qd-row qd-last-known"}
              style={{ ...layout, height, transform: `translateY(${offset}px)` }}
            >
              {columns.map(({ cell, isLong = false, title }) => (
                <div key={title} role="cell" className={isLong ? "qd-cell qd-long" : "qd-cell"} data-title={title}>
                  {cell(row)}
                  {title === "Cluster" && age !== undefined ? <small>last known, {age}</small> : undefined}
                </div>
              ))}
            </div>
          )
        })}
      </div>
    </div>
  )
}

interface HeadingProps<Row> extends Pick<Props<Row>, "filter" | "onSort"> {
  readonly column: Column<Row>
}

const Heading = <Row,>({ column: { sort, title }, filter, onSort }: HeadingProps<Row>) => {
  if (sort === undefined) {
    return (
      <Text component="div" role="columnheader" size="sm" fw={600} className="qd-cell">
        {title}
      </Text>
    )
  }
  const isSorted = filter.sort === sort
  return (
    <div
      role="columnheader"
      aria-sort={isSorted ? (filter.order === "asc" ? "ascending" : "descending") : "none"}
      className="qd-cell"
    >
      <UnstyledButton fz="sm" fw={600} onClick={() => onSort(sort)} className="qd-sort">
        {title} <span aria-hidden="true">{isSorted ? (filter.order === "asc" ? "▲" : "▼") : ""}</span>
      </UnstyledButton>
    </div>
  )
}
