/**
 * Kubernetes events of the chosen clusters, the newest first.
 */
import { eventPages, type EventParameters } from "../api/ListQueries.ts"
import type { KubeEvent } from "../api/PodQueries.ts"
import { useTarget } from "../clusterScope/useTarget.ts"
import { PlainTimestamp } from "../feedback/Instant.tsx"
import { FilterSelect } from "../form/FilterSelect.tsx"
import { TypedField } from "../form/TypedField.tsx"
import * as Quantity from "../format/Quantity.ts"
import type { ResourceFilter } from "./ResourceFilter.ts"
import { NamespacesField, ResourcePage, useResourceFilter } from "./ResourcePage.tsx"
import type { Column } from "./ResourceRows.tsx"

const COLUMNS: ReadonlyArray<Column<KubeEvent>> = [
  { title: "Last seen", width: "1fr", cell: ({ lastSeenAt }) => <PlainTimestamp at={lastSeenAt} /> },
  {
    title: "Type",
    width: "0.8fr",
    cell: ({ type }) => (
      <>
        <span className={`qd-dot qd-dot-${type === "Normal" ? "gray" : "orange"}`} aria-hidden="true" /> {type}
      </>
    )
  },
  { title: "Reason", width: "1.2fr", cell: ({ reason }) => reason },
  {
    title: "Object",
    width: "2fr",
    cell: ({ regarding: { kind, name } }) => <span title={`${kind} ${name}`}>{`${kind} ${name}`}</span>
  },
  { title: "Namespace", width: "1fr", cell: ({ namespace }) => namespace ?? "of the cluster" },
  { title: "Cluster", width: "0.8fr", cell: ({ cluster }) => cluster },
  { title: "Count", width: "0.6fr", cell: ({ count }) => Quantity.count(count) },
  { title: "Message", width: "3fr", isLong: true, cell: ({ message }) => <span title={message}>{message}</span> }
]

const TYPES = ["Warning", "Normal"]

const parametersOf = ({ namespaces, reason, type }: ResourceFilter): EventParameters => ({
  ...(type === "" ? {} : { type: [type] }),
  ...(reason.trim() === "" ? {} : { reason: [reason.trim()] }),
  ...(namespaces.length === 0 ? {} : { namespace: namespaces })
})

export const EventsPage = () => {
  const { target } = useTarget()
  const { change, filter } = useResourceFilter()
  return (
    <ResourcePage
      title="Events"
      noun="event"
      rows="events"
      query={eventPages(target, parametersOf(filter))}
      columns={COLUMNS}
      keyOf={({ cluster, id }) => `${cluster}/${id}`}
      filters={
        <>
          <FilterSelect
            label="Type"
            every="Any type"
            values={TYPES}
            chosen={filter.type}
            onChoose={(type) => change({ type })}
          />
          <TypedField
            label="Reason"
            placeholder="BackOff"
            value={filter.reason}
            onPause={(reason) => change({ reason })}
            isSearch
          />
          <NamespacesField filter={filter} onChange={change} />
        </>
      }
    />
  )
}
