/**
 * The fields that narrow the audit.
 */
import { Button, Group, NativeSelect, TextInput } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { clustersQuery } from "../api/Queries.ts"
import { TypedField } from "../keyboard/TypedField.tsx"
import * as ClusterTarget from "../target/ClusterTarget.ts"
import {
  type AuditFilter,
  CUSTOM,
  decisionOf,
  DECISIONS,
  isNarrowed,
  NO_FILTER,
  rangeOf,
  RANGES,
  RESOURCES,
  verbOf,
  VERBS
} from "./AuditFilter.ts"

interface Props {
  readonly filter: AuditFilter
  readonly onChange: (part: Partial<AuditFilter>) => void
}

/** What a link names and the list of usual ones does not have is shown all the same. */
const withChosen = (usual: ReadonlyArray<string>, chosen: string): ReadonlyArray<string> =>
  chosen === "" || usual.includes(chosen) ? usual : [chosen, ...usual]

const HALF = { base: "47%", xs: 150 }

export const AuditFilters = ({ filter, onChange }: Props) => {
  const clusters = useQuery(clustersQuery(ClusterTarget.ALL)).data?.clusters.map(({ name }) => name) ?? []
  return (
    <Group align="flex-end" gap="sm" role="search" aria-label="Events">
      <TimeFields filter={filter} onChange={onChange} />
      <NativeSelect
        label="Decision"
        value={filter.decision ?? ""}
        onChange={({ currentTarget: { value } }) => onChange({ decision: decisionOf(value) })}
        data={[{ value: "", label: "Either" }, ...DECISIONS]}
        w={HALF}
      />
      <NativeSelect
        label="On"
        value={filter.resource}
        onChange={({ currentTarget: { value } }) => onChange({ resource: value })}
        data={[{ value: "", label: "Everything" }, ...withChosen(RESOURCES, filter.resource)]}
        w={HALF}
      />
      <NativeSelect
        label="Action"
        value={filter.verb ?? ""}
        onChange={({ currentTarget: { value } }) => onChange({ verb: verbOf(value) })}
        data={[{ value: "", label: "Every action" }, ...VERBS]}
        w={HALF}
      />
      <NativeSelect
        label="Cluster"
        value={filter.on}
        onChange={({ currentTarget: { value } }) => onChange({ on: value })}
        data={[{ value: "", label: "Any or none" }, ...withChosen(clusters, filter.on)]}
        w={HALF}
      />
      <TypedField
        label="Key or person"
        placeholder="An id: key_…, oidc:…"
        value={filter.keyId}
        onPause={(keyId) => onChange({ keyId })}
        isSearch
      />
      {isNarrowed(filter) ? (
        <Button variant="default" onClick={() => onChange({ ...NO_FILTER, range: filter.range })}>
          Clear
        </Button>
      ) : undefined}
    </Group>
  )
}

const TimeFields = ({ filter, onChange }: Props) => (
  <>
    <NativeSelect
      label="Time"
      value={filter.range}
      onChange={({ currentTarget: { value } }) => onChange({ range: rangeOf(value) })}
      data={[...RANGES.map(([value, label]) => ({ value, label })), { value: CUSTOM, label: "From day to day" }]}
      w={{ base: "47%", xs: 170 }}
    />
    {filter.range === CUSTOM ? (
      <>
        <TextInput
          type="date"
          label="From"
          value={filter.from}
          max={filter.to === "" ? undefined : filter.to}
          onChange={(event) => onChange({ from: event.currentTarget.value })}
          w={{ base: "47%", xs: 150 }}
        />
        <TextInput
          type="date"
          label="To, included"
          value={filter.to}
          min={filter.from === "" ? undefined : filter.from}
          onChange={(event) => onChange({ to: event.currentTarget.value })}
          w={{ base: "47%", xs: 150 }}
        />
      </>
    ) : undefined}
  </>
)
