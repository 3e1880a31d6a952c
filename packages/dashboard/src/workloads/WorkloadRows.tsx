/**
 * The list of workloads: rows, or cards on a narrow screen. Only visible ones are rendered.
 */
import { Text, UnstyledButton } from "@mantine/core"
import { useMediaQuery } from "@mantine/hooks"
import { memo, type ReactNode, useEffect, useRef } from "react"
import { Link } from "react-router"
import type { Workload } from "../api/WorkloadQueries.ts"
import { workloadPlace } from "../frame/places.ts"
import { SelectAllCell, SelectCell } from "../actions/SelectCell.tsx"
import type { WorkloadSelection } from "../actions/useSelection.ts"
import { PlainTimestamp } from "../feedback/Instant.tsx"
import { StatusMark } from "../feedback/StatusMark.tsx"
import { useVirtualRows } from "../feedback/useVirtualRows.ts"
import * as Quantity from "../format/Quantity.ts"
import type { LastKnown } from "../clusterScope/LastKnown.ts"
import { type TargetState, useTarget } from "../clusterScope/useTarget.ts"
import type { Order, Sort } from "./WorkloadFilter.ts"

interface Props {
  readonly workloads: ReadonlyArray<Workload>
  /** Ids of removed workloads that are still shown. */
  readonly gone: ReadonlySet<string>
  /** Clusters that do not answer, with the age of their rows. */
  readonly lastKnown: LastKnown
  /** Number of workloads, whether loaded or not. */
  readonly total: number
  readonly sort: Sort
  readonly order: Order
  readonly onSort: (sort: Sort) => void
  /** Called when the user scrolls near the last loaded row. */
  readonly onNearEnd: () => void
  /** The selection; absent if the caller may not change workloads. */
  readonly selection?: WorkloadSelection | undefined
}

interface Column {
  readonly title: string
  readonly sort?: Sort
  readonly cell: (workload: Workload, linkTo: TargetState["linkTo"]) => ReactNode
}

const STATUS = "Status"
const CLUSTER = "Cluster"

const COLUMNS: ReadonlyArray<Column> = [
  {
    title: "Name",
    sort: "name",
    cell: (workload, linkTo) => (
      <Link to={linkTo(workloadPlace(workload))} title={workload.name} className="qd-name">
        {workload.name}
      </Link>
    )
  },
  { title: STATUS, sort: "status", cell: ({ status }) => <StatusMark status={status} /> },
  {
    title: "Reason",
    cell: ({ reason }) =>
      reason === undefined ? undefined : (
        <span className="qd-lacking" title={reason}>
          {reason}
        </span>
      )
  },
  { title: "Kind", sort: "kind", cell: ({ kind }) => kind },
  { title: "Namespace", sort: "namespace", cell: ({ namespace }) => namespace },
  { title: CLUSTER, sort: "cluster", cell: ({ cluster }) => cluster },
  { title: "Ready", cell: ({ replicas }) => readyText(replicas) },
  { title: "CPU requests", sort: "cpuRequestMillis", cell: ({ cpuRequestMillis }) => Quantity.cpu(cpuRequestMillis) },
  {
    title: "Memory requests",
    sort: "memoryRequestBytes",
    cell: ({ memoryRequestBytes }) => Quantity.bytes(memoryRequestBytes)
  },
  { title: "Created", sort: "createdAt", cell: ({ createdAt }) => <PlainTimestamp at={createdAt} /> }
]

/** Why a row cannot be selected. */
const NO_ANSWER = "its cluster does not answer"

/** Height of a row in a wide window, and of a card in a narrow one, in pixels. */
const ROW_HEIGHT = 44
const CARD_HEIGHT = 154

export const WorkloadRows = ({
  gone,
  lastKnown,
  onNearEnd,
  onSort,
  order,
  selection,
  sort,
  total,
  workloads
}: Props) => {
  const isWide = useMediaQuery("(min-width: 75em)", false, { getInitialValueInEffect: false })
  const { linkTo } = useTarget()
  const { list, rows, totalHeight } = useVirtualRows({
    count: workloads.length,
    rowHeight: isWide ? ROW_HEIGHT : CARD_HEIGHT,
    keyOf: (index) => workloads[index]?.id ?? index,
    onNearEnd
  })

  // After a change of the order, scroll to the first row.
  const shownOrder = useRef(`${sort} ${order}`)
  useEffect(() => {
    if (shownOrder.current === `${sort} ${order}`) return
    shownOrder.current = `${sort} ${order}`
    if ((list.current?.getBoundingClientRect().top ?? 0) < 0) globalThis.scrollTo({ top: 0 })
  }, [list, order, sort])

  return (
    <div
      role="table"
      aria-label="Workloads"
      aria-rowcount={total + 1}
      className={selection === undefined ? "qd-rows" : "qd-rows qd-selects"}
      data-wide={isWide}
    >
      <div role="rowgroup" className="qd-rows-head">
        <div role="row" aria-rowindex={1} className="qd-row">
          {selection === undefined ? undefined : (
            <SelectAllCell isAll={selection.isAll} isSome={selection.selected.length > 0} onChange={selection.setAll} />
          )}
          {COLUMNS.map((column) => (
            <Heading key={column.title} column={column} sort={sort} order={order} onSort={onSort} />
          ))}
        </div>
      </div>
      <div role="rowgroup" ref={list} className="qd-rows-body" style={{ height: totalHeight }}>
        {rows.map(({ height, index, key, offset }) => {
          const workload = workloads[index]
          return workload === undefined ? undefined : (
            <Row
              key={key}
              workload={workload}
              index={index}
              height={height}
              offset={offset}
              linkTo={linkTo}
              isGone={gone.has(workload.id)}
              age={lastKnown.get(workload.cluster)}
              isSelected={selection?.ids.has(workload.id) ?? false}
              onToggle={selection?.toggle}
            />
          )
        })}
      </div>
    </div>
  )
}

interface RowProps {
  readonly workload: Workload
  readonly index: number
  /** Height of the row and its offset from the top of the list, in pixels. */
  readonly height: number
  readonly offset: number
  readonly linkTo: TargetState["linkTo"]
  readonly isGone: boolean
  /** Age of the row if its cluster does not answer. */
  readonly age: string | undefined
  readonly isSelected: boolean
  readonly onToggle: WorkloadSelection["toggle"] | undefined
}

/** A memoized row of plain elements. Scrolling creates many rows, so each must be cheap. */
const Row = memo(({ age, height, index, isGone, isSelected, linkTo, offset, onToggle, workload }: RowProps) => (
  <div
    role="row"
    aria-rowindex={index + 2}
    data-workload={workload.id}
    className={isGone ? "qd-row qd-gone" : age === undefined ? "qd-row" : "qd-row qd-last-known"}
    style={{ height, transform: `translateY(${offset}px)` }}
  >
    {onToggle === undefined ? undefined : isGone ? (
      <div role="cell" className="qd-select" />
    ) : (
      <SelectCell
        workload={workload}
        isSelected={isSelected}
        onToggle={onToggle}
        refusal={age === undefined ? undefined : NO_ANSWER}
      />
    )}
    {COLUMNS.map(({ cell, title }) => (
      <div key={title} role="cell" className="qd-cell" data-title={title}>
        {isGone && title === STATUS ? "gone" : cell(workload, linkTo)}
        {age === undefined || isGone ? undefined : <AgeNote column={title} age={age} />}
      </div>
    ))}
  </div>
))

/** Marks a row whose cluster does not answer, and its age. */
const AgeNote = ({ age, column }: { readonly column: string; readonly age: string }) =>
  column === STATUS ? <small>last known</small> : column === CLUSTER ? <small>{age}</small> : undefined

const Heading = ({
  column: { sort: columnSort, title },
  onSort,
  order,
  sort
}: Pick<Props, "order" | "onSort" | "sort"> & { readonly column: Column }) => {
  if (columnSort === undefined) {
    return (
      <Text component="div" role="columnheader" size="sm" fw={600} className="qd-cell">
        {title}
      </Text>
    )
  }
  const isSorted = columnSort === sort
  const direction = order === "asc" ? "ascending" : "descending"
  return (
    <div role="columnheader" aria-sort={isSorted ? direction : "none"} className="qd-cell">
      <UnstyledButton fz="sm" fw={600} onClick={() => onSort(columnSort)} className="qd-sort">
        {title} <span aria-hidden="true">{isSorted ? (order === "asc" ? "▲" : "▼") : ""}</span>
      </UnstyledButton>
    </div>
  )
}

/** Prints ready and desired replicas. */
const readyText = ({ desired, ready }: Workload["replicas"]): ReactNode => {
  const text = `${Quantity.count(ready)} of ${Quantity.count(desired)}`
  return ready < desired ? <b className="qd-lacking">{text}</b> : text
}
