/**
 * The columns of each list: few and readable in a table, complete and exact in CSV.
 */
import type { ClusterRow, NamespaceRow, WorkloadRow } from "@quarterdeck/cluster-fanout/Row"
import type { ApiKey } from "@quarterdeck/keys/ApiKey"
import { DateTime } from "effect"
import * as Age from "./Age.ts"
import * as CoverageNotes from "./CoverageNotes.ts"
import type { ListColumns } from "./Output.ts"
import * as PlainText from "./PlainText.ts"

/** Printed where a value is not known. */
const UNKNOWN = "-"

/** The columns of clusters. A table has SAME CLUSTER and REASON only if some row has one. */
export const clusters = (nowMs: number): ListColumns<ClusterRow> => ({
  table: [
    { title: "NAME", cell: (row) => row.name },
    { title: "ROLE", cell: (row) => row.role },
    { title: "STATUS", cell: (row) => row.coverage.status },
    { title: "VERSION", cell: (row) => row.version ?? UNKNOWN },
    { title: "NODES", cell: (row) => row.nodes ?? UNKNOWN },
    { title: "PODS", cell: (row) => row.pods ?? UNKNOWN },
    { title: "UNHEALTHY", cell: (row) => row.unhealthyWorkloads ?? UNKNOWN },
    { title: "CPU", cell: (row) => known(row.cpuAllocatableMillis, PlainText.cores) },
    { title: "CPU REQUESTED", cell: (row) => known(row.cpuRequestMillis, PlainText.cores) },
    { title: "MEMORY", cell: (row) => known(row.memoryAllocatableBytes, PlainText.bytes) },
    { title: "MEMORY REQUESTED", cell: (row) => known(row.memoryRequestBytes, PlainText.bytes) },
    { title: "LAST SEEN", cell: (row) => (row.lastSeen === null ? UNKNOWN : Age.since(row.lastSeen, nowMs)) },
    { title: "SAME CLUSTER", isRare: true, cell: ({ sameCluster = [] }) => sameCluster.join(", ") },
    { title: "REASON", isRare: true, cell: ({ coverage }) => CoverageNotes.reasonOf(coverage) }
  ],
  wide: [
    { title: "SOURCE", cell: (row) => row.coverage.source },
    { title: "ROWS FROM", cell: (row) => Age.print(row.coverage.ageMs) },
    { title: "LABELS", cell: (row) => shownLabels(row) || UNKNOWN }
  ],
  name: (row) => row.name,
  csv: [
    { title: "name", cell: (row) => row.name },
    { title: "role", cell: (row) => row.role },
    { title: "reachable", cell: (row) => String(row.reachable) },
    { title: "status", cell: (row) => row.coverage.status },
    { title: "source", cell: (row) => row.coverage.source },
    { title: "ageMs", cell: (row) => row.coverage.ageMs },
    { title: "version", cell: (row) => row.version ?? "" },
    { title: "nodes", cell: (row) => row.nodes ?? "" },
    { title: "pods", cell: (row) => row.pods ?? "" },
    { title: "unhealthyWorkloads", cell: (row) => row.unhealthyWorkloads ?? "" },
    { title: "cpuAllocatableMillis", cell: (row) => row.cpuAllocatableMillis ?? "" },
    { title: "memoryAllocatableBytes", cell: (row) => row.memoryAllocatableBytes ?? "" },
    { title: "cpuRequestMillis", cell: (row) => row.cpuRequestMillis ?? "" },
    { title: "memoryRequestBytes", cell: (row) => row.memoryRequestBytes ?? "" },
    { title: "lastSeen", cell: (row) => row.lastSeen ?? "" },
    { title: "errorCode", cell: (row) => row.errorCode ?? "" },
    { title: "labels", cell: (row) => shownLabels(row) },
    { title: "sameCluster", cell: ({ sameCluster = [] }) => sameCluster.join("|") }
  ]
})

export const namespaces = (nowMs: number): ListColumns<NamespaceRow> => ({
  table: [
    { title: "CLUSTER", cell: (row) => row.cluster },
    { title: "NAME", cell: (row) => row.name },
    { title: "STATUS", cell: (row) => row.phase },
    { title: "AGE", cell: (row) => Age.since(row.createdAt, nowMs) }
  ],
  wide: [{ title: "LABELS", cell: (row) => shownLabels(row) || UNKNOWN }],
  name: (row) => `${row.cluster}/${row.name}`,
  csv: [
    { title: "cluster", cell: (row) => row.cluster },
    { title: "name", cell: (row) => row.name },
    { title: "phase", cell: (row) => row.phase },
    { title: "labels", cell: (row) => shownLabels(row) },
    { title: "createdAt", cell: (row) => row.createdAt },
    { title: "id", cell: (row) => row.id }
  ]
})

export const workloads = (nowMs: number): ListColumns<WorkloadRow> => ({
  table: [
    { title: "CLUSTER", cell: (row) => row.cluster },
    { title: "NAMESPACE", cell: (row) => row.namespace },
    { title: "KIND", cell: (row) => row.kind },
    { title: "NAME", cell: (row) => row.name },
    { title: "STATUS", cell: (row) => row.status },
    { title: "REASON", isRare: true, cell: (row) => row.reason ?? "" },
    { title: "READY", cell: (row) => `${row.replicas.ready}/${row.replicas.desired}` },
    { title: "CPU", cell: (row) => PlainText.cores(row.cpuRequestMillis) },
    { title: "MEMORY", cell: (row) => PlainText.bytes(row.memoryRequestBytes) },
    { title: "AGE", cell: (row) => Age.since(row.createdAt, nowMs) }
  ],
  wide: [
    { title: "UPDATED", cell: (row) => row.replicas.updated },
    { title: "AVAILABLE", cell: (row) => row.replicas.available },
    { title: "CPU LIMIT", cell: (row) => PlainText.cores(row.cpuLimitMillis) },
    { title: "MEMORY LIMIT", cell: (row) => PlainText.bytes(row.memoryLimitBytes) },
    { title: "IMAGES", cell: (row) => row.images.join(",") || UNKNOWN },
    { title: "LABELS", cell: (row) => shownLabels(row) || UNKNOWN }
  ],
  name: (row) => `${row.cluster}/${row.namespace}/${row.kind}/${row.name}`,
  csv: [
    { title: "cluster", cell: (row) => row.cluster },
    { title: "namespace", cell: (row) => row.namespace },
    { title: "kind", cell: (row) => row.kind },
    { title: "name", cell: (row) => row.name },
    { title: "status", cell: (row) => row.status },
    { title: "reason", cell: (row) => row.reason ?? "" },
    { title: "since", cell: (row) => row.since ?? "" },
    { title: "desired", cell: (row) => row.replicas.desired },
    { title: "ready", cell: (row) => row.replicas.ready },
    { title: "updated", cell: (row) => row.replicas.updated },
    { title: "available", cell: (row) => row.replicas.available },
    { title: "cpuRequestMillis", cell: (row) => row.cpuRequestMillis },
    { title: "memoryRequestBytes", cell: (row) => row.memoryRequestBytes },
    { title: "cpuLimitMillis", cell: (row) => row.cpuLimitMillis },
    { title: "memoryLimitBytes", cell: (row) => row.memoryLimitBytes },
    { title: "images", cell: (row) => row.images.join(" ") },
    { title: "labels", cell: (row) => shownLabels(row) },
    { title: "createdAt", cell: (row) => row.createdAt },
    { title: "id", cell: (row) => row.id }
  ]
})

export const keys: ListColumns<ApiKey> = {
  table: [
    { title: "ID", cell: (key) => key.id },
    { title: "NAME", cell: (key) => key.name },
    { title: "START", cell: (key) => key.start ?? UNKNOWN },
    { title: "STATUS", cell: (key) => key.status },
    { title: "ROLE", cell: (key) => key.rule.role },
    { title: "CLUSTERS", cell: (key) => key.rule.targetClusters?.join(",") ?? "all" },
    { title: "NAMESPACES", cell: (key) => namespacesOf(key) },
    { title: "SOURCE", cell: (key) => key.source },
    { title: "EXPIRES", cell: (key) => instantOf(key.expiresAt) ?? "never" },
    { title: "LAST USED", cell: (key) => instantOf(key.lastUsedAt) ?? UNKNOWN }
  ],
  wide: [
    { title: "CREATED", cell: (key) => instantOf(key.createdAt) ?? UNKNOWN },
    { title: "CREATED BY", cell: (key) => makerOf(key) },
    { title: "ALLOWED FROM", cell: (key) => key.allowFrom?.join(",") ?? "anywhere" },
    { title: "DESCRIPTION", cell: (key) => key.description ?? UNKNOWN },
    { title: "REVOKED", cell: (key) => instantOf(key.revokedAt) ?? UNKNOWN },
    { title: "REVOKED BY", cell: (key) => key.revokedBy ?? UNKNOWN }
  ],
  name: (key) => key.id,
  csv: [
    { title: "id", cell: (key) => key.id },
    { title: "name", cell: (key) => key.name },
    { title: "start", cell: (key) => key.start ?? "" },
    { title: "status", cell: (key) => key.status },
    { title: "source", cell: (key) => key.source },
    { title: "role", cell: (key) => key.rule.role },
    { title: "targetClusters", cell: (key) => key.rule.targetClusters?.join(" ") ?? "" },
    { title: "targetNamespaces", cell: (key) => JSON.stringify(key.rule.targetNamespaces) ?? "" },
    { title: "createdAt", cell: (key) => instantOf(key.createdAt) ?? "" },
    { title: "createdBy", cell: (key) => key.createdBy ?? "" },
    { title: "expiresAt", cell: (key) => instantOf(key.expiresAt) ?? "" },
    { title: "lastUsedAt", cell: (key) => instantOf(key.lastUsedAt) ?? "" },
    { title: "revokedAt", cell: (key) => instantOf(key.revokedAt) ?? "" },
    { title: "revokedBy", cell: (key) => key.revokedBy ?? "" },
    { title: "description", cell: (key) => key.description ?? "" },
    { title: "allowFrom", cell: (key) => key.allowFrom?.join(" ") ?? "" },
    { title: "isMakerGone", cell: (key) => String(key.isMakerGone ?? false) }
  ]
}

const makerOf = ({ createdBy = UNKNOWN, isMakerGone = false }: ApiKey): string =>
  isMakerGone ? `${createdBy} (gone)` : createdBy

const known = (value: number | null, print: (value: number) => string): string =>
  value === null ? UNKNOWN : print(value)

const instantOf = (instant: DateTime.Utc | undefined): string | undefined =>
  instant === undefined ? undefined : DateTime.formatIso(instant)

/** Joins labels as a selector writes them. **Example** `app=web,tier=front` */
const labelsOf = (labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(",")

/** Prints the labels of a row. A final `…` means that the reply leaves out some labels of the row. */
export const shownLabels = ({ labels, labelsTruncated }: Pick<WorkloadRow, "labels" | "labelsTruncated">): string =>
  `${labelsOf(labels)}${labelsTruncated === true ? ",…" : ""}`

/**
 * Prints namespace selectors, joined by `;`. In each, names are joined by `,` and labels follow `+`.
 *
 * **Example** `a,b;c+team=web`
 */
const namespacesOf = ({ rule }: ApiKey): string =>
  rule.targetNamespaces
    ?.map(({ labelSelector, namespaceNames }) =>
      [namespaceNames.join(","), ...(labelSelector === undefined ? [] : [labelsOf(labelSelector.matchLabels)])].join(
        "+"
      )
    )
    .join(";") ?? "all"
