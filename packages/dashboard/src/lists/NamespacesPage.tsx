/**
 * Namespaces of the chosen clusters.
 */
import { Link } from "react-router"
import * as ClusterTarget from "../api/ClusterTarget.ts"
import { namespacePages, type NamespaceParameters } from "../api/ListQueries.ts"
import type { Namespace } from "../api/Shapes.ts"
import { useTarget } from "../clusterScope/useTarget.ts"
import { PlainTimestamp } from "../feedback/Instant.tsx"
import { PLACES } from "../frame/places.ts"
import { given, type ResourceFilter } from "./ResourceFilter.ts"
import { LabelsField, NameField, ResourcePage, useResourceFilter } from "./ResourcePage.tsx"
import type { Column } from "./ResourceRows.tsx"

const labelsText = ({ labels, labelsTruncated }: Namespace): string =>
  Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(", ") + (labelsTruncated === true ? ", …" : "")

/** Address of the workloads in a namespace. */
const workloadsOf = ({ cluster, name }: Namespace): string =>
  `${PLACES.workloads}?${ClusterTarget.write(new URLSearchParams({ namespace: name }), ClusterTarget.named([cluster]))}`

const COLUMNS: ReadonlyArray<Column<Namespace>> = [
  {
    title: "Name",
    sort: "name",
    width: "1.5fr",
    cell: (namespace) => (
      <Link to={workloadsOf(namespace)} title={namespace.name} className="qd-name">
        {namespace.name}
      </Link>
    )
  },
  { title: "Phase", width: "0.8fr", cell: ({ phase }) => phase },
  { title: "Cluster", sort: "cluster", width: "1fr", cell: ({ cluster }) => cluster },
  { title: "Created", width: "1fr", cell: ({ createdAt }) => <PlainTimestamp at={createdAt} /> },
  {
    title: "Labels",
    width: "3fr",
    isLong: true,
    cell: (namespace) => <span title={labelsText(namespace)}>{labelsText(namespace)}</span>
  }
]

const parametersOf = ({ labels, name, order, sort }: ResourceFilter): NamespaceParameters => ({
  sort: sort === "cluster" ? "cluster" : "name",
  order,
  ...given("name", name),
  ...given("labelSelector", labels)
})

export const NamespacesPage = () => {
  const { target } = useTarget()
  const { change, filter } = useResourceFilter()
  return (
    <ResourcePage
      title="Namespaces"
      noun="namespace"
      rows="namespaces"
      query={namespacePages(target, parametersOf(filter))}
      columns={COLUMNS}
      keyOf={({ cluster, id }) => `${cluster}/${id}`}
      filters={
        <>
          <NameField filter={filter} onChange={change} />
          <LabelsField filter={filter} onChange={change} />
        </>
      }
    />
  )
}
