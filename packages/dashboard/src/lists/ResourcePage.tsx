/**
 * A page with a list: its filters, the clusters that answer, and its rows.
 */
import { Button, Group, Stack, TagsInput, Text, Title } from "@mantine/core"
import { useInfiniteQuery } from "@tanstack/react-query"
import { type ReactNode, useCallback, useMemo } from "react"
import { useSearchParams } from "react-router"
import { ApiFailure } from "../api/Client.ts"
import type { ListQuery } from "../api/ListQueries.ts"
import type { Rows } from "../clusterScope/CoverageText.ts"
import { CoverageStrip } from "../clusterScope/CoverageStrip.tsx"
import { useLastKnown } from "../clusterScope/LastKnown.ts"
import { TargetFailure } from "../clusterScope/TargetFailure.tsx"
import { Empty, Loading } from "../feedback/PageState.tsx"
import { TypedField } from "../form/TypedField.tsx"
import * as Quantity from "../format/Quantity.ts"
import { useTitle } from "../frame/useTitle.ts"
import { EVERY, isNarrowed, parse, type ResourceFilter, write } from "./ResourceFilter.ts"
import { type Column, ResourceRows } from "./ResourceRows.tsx"

type Change = (part: Partial<ResourceFilter>) => void

interface Props<Row> {
  readonly title: string
  /** Noun of a row, such as `pod`. */
  readonly noun: string
  readonly rows: Rows
  readonly query: ListQuery<Row>
  readonly columns: ReadonlyArray<Column<Row>>
  readonly keyOf: (row: Row) => string
  readonly filters: ReactNode
}

const NONE: ReadonlyArray<never> = []

export const ResourcePage = <Row extends { readonly cluster: string }>(props: Props<Row>) => {
  const { columns, filters, keyOf, noun, query, rows, title } = props
  const heading = useTitle(title)
  const { change, filter } = useResourceFilter()
  const list = useInfiniteQuery(query)
  const pages = list.data?.pages
  const shown = useMemo(() => pages?.flatMap((page) => page.rows) ?? [], [pages])
  const coverages = pages?.[0]?.clusters ?? NONE
  const lastKnown = useLastKnown(coverages, list.dataUpdatedAt)
  const total = coverages.reduce((sum, { count }) => sum + count, 0)
  const { fetchNextPage, hasNextPage, isFetching } = list
  const loadMore = useCallback(() => {
    if (hasNextPage && !isFetching) void fetchNextPage()
  }, [fetchNextPage, hasNextPage, isFetching])
  const sortBy = (sort: string) => {
    change({ sort, order: sort === filter.sort && filter.order === "asc" ? "desc" : "asc" })
    globalThis.scrollTo({ top: 0 })
  }
  return (
    <Stack gap="md">
      <Title order={1} size="h2" ref={heading} tabIndex={-1}>
        {title}
      </Title>
      <Group align="flex-end" gap="sm" role="search" aria-label={title}>
        {filters}
        {isNarrowed(filter) ? (
          <Button variant="default" onClick={() => change(EVERY)}>
            Clear
          </Button>
        ) : undefined}
      </Group>
      {list.error instanceof ApiFailure ? (
        <TargetFailure
          failure={list.error}
          onRetry={() => void list.refetch()}
          shownSinceMs={pages === undefined ? undefined : list.dataUpdatedAt}
        />
      ) : undefined}
      {list.isLoading ? <Loading what={title.toLowerCase()} /> : undefined}
      {pages === undefined ? undefined : (
        <>
          <CoverageStrip coverages={coverages} readAtMs={list.dataUpdatedAt} rows={rows} />
          <Text size="sm" c="dimmed" role="status" data-total={total}>
            {Quantity.counted(total, noun)}
            {isNarrowed(filter) ? " match" : ""}
          </Text>
        </>
      )}
      {shown.length > 0 ? (
        <ResourceRows
          label={title}
          columns={columns}
          rows={shown}
          keyOf={keyOf}
          lastKnown={lastKnown}
          filter={filter}
          onSort={sortBy}
          onNearEnd={loadMore}
        />
      ) : undefined}
      {pages !== undefined && shown.length === 0 ? (
        <Empty title={isNarrowed(filter) ? `No ${noun} matches the filter` : `No ${noun}s`}>
          Your key's scope has no {isNarrowed(filter) ? "such " : ""}
          {noun}s on the clusters that answer.
        </Empty>
      ) : undefined}
    </Stack>
  )
}

/** Reads and changes the filter in the page's address. Changes replace the address: the back button leaves the page. */
export const useResourceFilter = (): { readonly filter: ResourceFilter; readonly change: Change } => {
  const [search, setSearch] = useSearchParams()
  const filter = useMemo(() => parse(search), [search])
  const change: Change = (part) => {
    setSearch((before) => write(before, { ...parse(before), ...part }), { replace: true })
  }
  return { filter, change }
}

interface FieldProps {
  readonly filter: ResourceFilter
  readonly onChange: Change
}

export const NameField = ({ filter, onChange }: FieldProps) => (
  <TypedField
    label="Name"
    placeholder="Part of a name"
    value={filter.name}
    onPause={(name) => onChange({ name })}
    isSearch
  />
)

export const LabelsField = ({ filter, onChange }: FieldProps) => (
  <TypedField
    label="Labels"
    placeholder="app=web,tier!=cache"
    value={filter.labels}
    onPause={(labels) => onChange({ labels })}
  />
)

export const NamespacesField = ({ filter, onChange }: FieldProps) => (
  <TagsInput
    label="Namespaces"
    placeholder={filter.namespaces.length === 0 ? "Any namespace" : ""}
    value={[...filter.namespaces]}
    onChange={(namespaces) => onChange({ namespaces })}
    acceptValueOnBlur
    w={{ base: "100%", xs: 240 }}
  />
)
