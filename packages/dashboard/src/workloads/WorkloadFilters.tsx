/**
 * Filter fields of the workload list.
 */
import { Button, Group, NativeSelect, TagsInput } from "@mantine/core"
import { useMediaQuery } from "@mantine/hooks"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { namespacesQuery } from "../api/Queries.ts"
import { FilterSelect } from "../form/FilterSelect.tsx"
import { TypedField } from "../form/TypedField.tsx"
import { EVERY, isNarrowed, KINDS, SORTS, type WorkloadFilter } from "./WorkloadFilter.ts"

interface Props {
  readonly filter: WorkloadFilter
  readonly onChange: (part: Partial<WorkloadFilter>) => void
}

/** Namespaces suggested at once. */
const SUGGESTED = 50

export const WorkloadFilters = ({ filter, onChange }: Props) => {
  const isWide = useMediaQuery("(min-width: 75em)", false, { getInitialValueInEffect: false })
  const [hasFocused, setFocused] = useState(false)
  const namespaces = useQuery({ ...namespacesQuery, enabled: hasFocused, refetchInterval: false })
  const suggestions = [...new Set(namespaces.data?.namespaces.map(({ name }) => name))].toSorted()
  return (
    <Group align="flex-end" gap="sm" role="search" aria-label="Workloads">
      <TypedField
        label="Name"
        placeholder="Part of a name"
        value={filter.name}
        onPause={(name) => onChange({ name })}
        isSearch
      />
      <FilterSelect
        label="Kind"
        every="Any kind"
        values={[...otherKinds(filter.kinds), ...KINDS]}
        chosen={filter.kinds.length > 1 ? filter.kinds.join(", ") : filter.kinds[0]}
        onChoose={(kind) => onChange({ kinds: kind === "" ? [] : [kind] })}
      />
      <TagsInput
        label="Namespaces"
        placeholder={filter.namespaces.length === 0 ? "Any namespace" : ""}
        value={[...filter.namespaces]}
        onChange={(chosen) => onChange({ namespaces: chosen })}
        onFocus={() => setFocused(true)}
        data={suggestions}
        limit={SUGGESTED}
        acceptValueOnBlur
        w={{ base: "100%", xs: 240 }}
      />
      <TypedField
        label="Labels"
        placeholder="app=web,tier!=cache"
        value={filter.labels}
        onPause={(labels) => onChange({ labels })}
      />
      {isWide ? undefined : (
        <>
          <NativeSelect
            label="Sort by"
            value={filter.sort}
            onChange={({ currentTarget: { value } }) =>
              onChange({ sort: SORTS.find(([sort]) => sort === value)?.[0] ?? "name" })
            }
            data={SORTS.map(([value, label]) => ({ value, label }))}
            w={{ base: "47%", xs: 170 }}
          />
          <NativeSelect
            label="Order"
            value={filter.order}
            onChange={({ currentTarget: { value } }) => onChange({ order: value === "desc" ? "desc" : "asc" })}
            data={[
              { value: "asc", label: "Ascending" },
              { value: "desc", label: "Descending" }
            ]}
            w={{ base: "47%", xs: 140 }}
          />
        </>
      )}
      {isNarrowed(filter) ? (
        <Button variant="default" onClick={() => onChange(EVERY)}>
          Clear
        </Button>
      ) : undefined}
    </Group>
  )
}

/** Returns kinds of a link that are not among {@link KINDS}. */
const otherKinds = (kinds: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (kinds.length > 1) return [kinds.join(", ")]
  return kinds.filter((kind) => !KINDS.some((name) => name === kind))
}
