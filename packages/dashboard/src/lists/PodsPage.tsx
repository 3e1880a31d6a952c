/**
 * Pods of the chosen clusters.
 */
import { Link } from "react-router"
import { podPages, type PodParameters } from "../api/ListQueries.ts"
import type { Pod } from "../api/PodQueries.ts"
import { useTarget } from "../clusterScope/useTarget.ts"
import { PlainTimestamp } from "../feedback/Instant.tsx"
import { PodDot } from "../feedback/PodDot.tsx"
import { FilterSelect } from "../form/FilterSelect.tsx"
import * as Quantity from "../format/Quantity.ts"
import { workloadPlace } from "../frame/places.ts"
import { given, type ResourceFilter } from "./ResourceFilter.ts"
import { LabelsField, NameField, NamespacesField, ResourcePage, useResourceFilter } from "./ResourcePage.tsx"
import type { Column } from "./ResourceRows.tsx"

const SORTS = ["name", "namespace", "cluster", "status", "node", "restarts", "createdAt"] as const

/** Statuses that the field offers. An address may have any other. */
const STATUSES = ["Running", "Pending", "CrashLoopBackOff", "ImagePullBackOff", "OOMKilled", "Error", "Completed"]

const parametersOf = ({ labels, name, namespaces, order, sort, status }: ResourceFilter): PodParameters => ({
  sort: SORTS.find((one) => one === sort) ?? "name",
  order,
  ...given("name", name),
  ...given("labelSelector", labels),
  ...(status === "" ? {} : { status: [status] }),
  ...(namespaces.length === 0 ? {} : { namespace: namespaces })
})

export const PodsPage = () => {
  const { linkTo, target } = useTarget()
  const { change, filter } = useResourceFilter()
  /** Page of the pod's workload. A pod without an owner is a workload itself. */
  const placeOf = ({ cluster, name, namespace, owner }: Pod): string =>
    linkTo(workloadPlace({ cluster, namespace, ...(owner ?? { kind: "Pod", name }) }), { tab: "pods" })
  const columns: ReadonlyArray<Column<Pod>> = [
    {
      title: "Name",
      sort: "name",
      width: "2.2fr",
      cell: (pod) => (
        <Link to={placeOf(pod)} title={pod.name} className="qd-name">
          {pod.name}
        </Link>
      )
    },
    {
      title: "Status",
      sort: "status",
      width: "1.5fr",
      cell: (pod) => (
        <>
          <PodDot pod={pod} /> {pod.status}
        </>
      )
    },
    { title: "Ready", width: "0.6fr", cell: (pod) => `${pod.readyContainers} of ${pod.containers}` },
    { title: "Restarts", sort: "restarts", width: "0.7fr", cell: ({ restarts }) => Quantity.count(restarts) },
    { title: "Namespace", sort: "namespace", width: "1fr", cell: ({ namespace }) => namespace },
    { title: "Cluster", sort: "cluster", width: "1fr", cell: ({ cluster }) => cluster },
    { title: "Node", sort: "node", width: "1fr", cell: ({ node }) => node ?? "not scheduled" },
    {
      title: "Created",
      sort: "createdAt",
      width: "1fr",
      cell: ({ createdAt }) => <PlainTimestamp at={createdAt} />
    }
  ]
  return (
    <ResourcePage
      title="Pods"
      noun="pod"
      rows="pods"
      query={podPages(target, parametersOf(filter))}
      columns={columns}
      keyOf={({ cluster, id }) => `${cluster}/${id}`}
      filters={
        <>
          <NameField filter={filter} onChange={change} />
          <FilterSelect
            label="Status"
            every="Any status"
            values={STATUSES.includes(filter.status) || filter.status === "" ? STATUSES : [filter.status, ...STATUSES]}
            chosen={filter.status}
            onChoose={(status) => change({ status })}
            width={180}
          />
          <NamespacesField filter={filter} onChange={change} />
          <LabelsField filter={filter} onChange={change} />
        </>
      }
    />
  )
}
