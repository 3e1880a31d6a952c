import { Button, Code, Group, Stack, Text, Title } from "@mantine/core"
import { type ReactNode, useCallback, useMemo } from "react"
import { useSearchParams } from "react-router"
import { ApiFailure } from "../api/Client.ts"
import { useCaller } from "../frame/Caller.ts"
import { useTitle } from "../frame/useTitle.ts"
import { SelectionBar } from "../actions/SelectionBar.tsx"
import { useSelection } from "../actions/useSelection.ts"
import { clockTimeOf } from "../feedback/Instant.tsx"
import { Empty, Loading } from "../feedback/PageState.tsx"
import { TargetFailure } from "../clusterScope/TargetFailure.tsx"
import * as Quantity from "../format/Quantity.ts"
import { CoverageStrip } from "../clusterScope/CoverageStrip.tsx"
import { useLastKnown } from "../clusterScope/LastKnown.ts"
import { useTarget } from "../clusterScope/useTarget.ts"
import { LiveState } from "./LiveState.tsx"
import { useLiveList } from "./useLiveList.ts"
import { StatusChips } from "./StatusChips.tsx"
import { EVERY, isNarrowed, parse, parametersOf, type Sort, type WorkloadFilter, write } from "./WorkloadFilter.ts"
import { WorkloadFilters } from "./WorkloadFilters.tsx"
import { WorkloadRows } from "./WorkloadRows.tsx"

export const WorkloadsPage = () => {
  const heading = useTitle("Workloads")
  const { target } = useTarget()
  const [search, setSearch] = useSearchParams()
  const filter = useMemo(() => parse(search), [search])
  const live = useLiveList(target, parametersOf(filter))
  const { coverages, gone, list, total, workloads } = live
  const pages = list.data?.pages
  const lastKnown = useLastKnown(coverages, live.shownAtMs)
  // Workloads of a cluster that does not answer cannot be changed.
  const present = useMemo(
    () => workloads.filter(({ cluster, id }) => !gone.has(id) && !lastKnown.has(cluster)),
    [gone, lastKnown, workloads]
  )
  const selection = useSelection(present)
  const canOperate = useCaller().rule.role !== "Viewer"

  // Filter changes replace the address: the back button leaves the page.
  const change = (part: Partial<WorkloadFilter>) => {
    setSearch((before) => write(before, { ...parse(before), ...part }), { replace: true })
  }
  const sortBy = (sort: Sort) =>
    change({ sort, order: sort === filter.sort && filter.order === "asc" ? "desc" : "asc" })
  const { fetchNextPage, hasNextPage, isFetching } = list
  const loadMore = useCallback(() => {
    if (hasNextPage && !isFetching) void fetchNextPage()
  }, [fetchNextPage, hasNextPage, isFetching])

  return (
    <Stack gap="md">
      <div>
        <Title order={1} size="h2" ref={heading} tabIndex={-1}>
          Workloads
        </Title>
        <Text c="dimmed">Workloads of the chosen clusters.</Text>
      </div>
      <WorkloadFilters filter={filter} onChange={change} />
      {list.error instanceof ApiFailure ? (
        <TargetFailure
          failure={list.error}
          onRetry={() => void list.refetch()}
          shownSinceMs={pages === undefined ? undefined : live.shownAtMs}
        />
      ) : undefined}
      {list.isLoading ? <Loading what="workloads" /> : undefined}
      {pages === undefined ? undefined : <ListSummary live={live} filter={filter} onChange={change} />}
      {workloads.length > 0 ? (
        <WorkloadRows
          workloads={workloads}
          gone={gone}
          lastKnown={lastKnown}
          total={total}
          sort={filter.sort}
          order={filter.order}
          onSort={sortBy}
          onNearEnd={loadMore}
          selection={canOperate ? selection : undefined}
        />
      ) : undefined}
      {canOperate ? <SelectionBar selection={selection} shown={present.length} /> : undefined}
      {pages !== undefined && workloads.length === 0 ? <NoWorkloads filter={filter} onChange={change} /> : undefined}
      {list.isFetchingNextPage ? (
        <Text size="sm" c="dimmed" role="status">
          Loading more workloads
        </Text>
      ) : undefined}
    </Stack>
  )
}

interface SummaryProps {
  readonly live: ReturnType<typeof useLiveList>
  readonly filter: WorkloadFilter
  readonly onChange: (part: Partial<WorkloadFilter>) => void
}

/** The clusters that answer, the number of workloads of each status, and how the list is kept current. */
const ListSummary = ({ filter, live, onChange }: SummaryProps) => (
  <>
    <CoverageStrip
      coverages={live.coverages}
      readAtMs={live.shownAtMs}
      isLive={live.word === "live"}
      rows="workloads"
    />
    {live.statusCounts === undefined ? undefined : (
      <StatusChips
        counts={live.statusCounts}
        chosen={filter.statuses}
        onChange={(statuses) => onChange({ statuses })}
      />
    )}
    <Tally
      total={live.total}
      isNarrowed={isNarrowed(filter)}
      isFresh={live.isFresh}
      readAtMs={live.shownAtMs}
      isReading={live.list.isRefetching}
      onRead={live.readAgain}
    >
      <LiveState
        word={live.word}
        coverages={live.coverages}
        added={live.added}
        onPause={live.pause}
        onShow={live.readAgain}
      />
    </Tally>
  </>
)

interface TallyProps {
  readonly total: number
  readonly isNarrowed: boolean
  /** True if the list updates automatically. */
  readonly isFresh: boolean
  /** Time when the list was read, in milliseconds since the epoch. */
  readonly readAtMs: number
  readonly isReading: boolean
  readonly onRead: () => void
  readonly children: ReactNode
}

/** Number of workloads, and the time of the list if it does not update automatically. */
const Tally = ({ children, isFresh, isNarrowed, isReading, onRead, readAtMs, total }: TallyProps) => (
  <Group gap="sm">
    <Text size="sm" c="dimmed" role="status" data-total={total}>
      {Quantity.counted(total, "workload")}
      {isNarrowed ? " match" : ""}
    </Text>
    {children}
    {isFresh ? undefined : (
      <>
        <Text size="sm" c="dimmed">
          as of {clockTimeOf(readAtMs)}
        </Text>
        <Button size="compact-sm" variant="default" loading={isReading} onClick={onRead}>
          Refresh
        </Button>
      </>
    )}
  </Group>
)

interface NoWorkloadsProps {
  readonly filter: WorkloadFilter
  readonly onChange: (part: Partial<WorkloadFilter>) => void
}

const NoWorkloads = ({ filter, onChange }: NoWorkloadsProps) =>
  isNarrowed(filter) ? (
    <Empty
      title="No workload matches the filter"
      action={
        <Button variant="default" onClick={() => onChange(EVERY)}>
          Show every workload
        </Button>
      }
    >
      No workload in your key's scope on these clusters matches the name, kind, namespace, labels and status.
    </Empty>
  ) : (
    <Empty title="No workloads">
      Your key's scope has no workloads on these clusters. Deploy one, for example with <Code>kubectl apply</Code>, or
      choose other clusters.
    </Empty>
  )
