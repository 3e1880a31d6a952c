/**
 * Filter fields of the audit page.
 */
import { Button, Group } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { clustersQuery } from "../api/Queries.ts"
import { FilterSelect } from "../form/FilterSelect.tsx"
import { TimeFields } from "../form/TimeFields.tsx"
import { TypedField } from "../form/TypedField.tsx"
import * as ClusterTarget from "../api/ClusterTarget.ts"
import {
  type AuditFilter,
  decisionOf,
  DECISIONS,
  isNarrowed,
  NO_FILTER,
  rangeOf,
  RANGES,
  RESOURCES,
  resourceOf,
  verbOf,
  VERBS
} from "./AuditFilter.ts"

interface Props {
  readonly filter: AuditFilter
  readonly onChange: (part: Partial<AuditFilter>) => void
}

/** Adds the chosen value to the choices if a link names a value that is not among them. */
const withChosen = (choices: ReadonlyArray<string>, chosen: string): ReadonlyArray<string> =>
  chosen === "" || choices.includes(chosen) ? choices : [chosen, ...choices]

export const AuditFilters = ({ filter, onChange }: Props) => {
  const clusters = useQuery(clustersQuery(ClusterTarget.ALL)).data?.clusters.map(({ name }) => name) ?? []
  return (
    <Group align="flex-end" gap="sm" role="search" aria-label="Events">
      <TimeFields
        ranges={RANGES}
        time={filter}
        onRange={(range) => onChange({ range: rangeOf(range) })}
        onDays={onChange}
        widths={{ range: { base: "47%", xs: 170 }, day: { base: "47%", xs: 150 } }}
      />
      <FilterSelect
        label="Decision"
        every="Any decision"
        values={DECISIONS}
        chosen={filter.decision}
        onChoose={(decision) => onChange({ decision: decisionOf(decision) })}
      />
      <FilterSelect
        label="Resource"
        every="Any resource"
        values={RESOURCES}
        chosen={filter.resource}
        onChoose={(resource) => onChange({ resource: resourceOf(resource) })}
      />
      <FilterSelect
        label="Action"
        every="Any action"
        values={VERBS}
        chosen={filter.verb}
        onChoose={(verb) => onChange({ verb: verbOf(verb) })}
      />
      <FilterSelect
        label="Cluster"
        every="Any cluster"
        values={withChosen(clusters, filter.on)}
        chosen={filter.on}
        onChoose={(on) => onChange({ on })}
      />
      <TypedField
        label="Caller"
        placeholder="Part of a name, or an id"
        value={filter.actor}
        onPause={(actor) => onChange({ actor })}
        isSearch
      />
      <TypedField
        label="Object"
        placeholder="shop/web, or a key"
        value={filter.object}
        onPause={(object) => onChange({ object })}
      />
      {isNarrowed(filter) ? (
        <Button variant="default" onClick={() => onChange({ ...NO_FILTER, range: filter.range })}>
          Clear
        </Button>
      ) : undefined}
    </Group>
  )
}
