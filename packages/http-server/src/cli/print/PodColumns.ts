/**
 * The columns of pods. A table has kubectl's columns, CSV every field.
 */
import type { PodRow } from "@quarterdeck/cluster-fanout/Row"
import * as Age from "./Age.ts"
import { shownLabels } from "./Columns.ts"
import type { ListColumns } from "./Output.ts"
import * as PlainText from "./PlainText.ts"

/** kubectl's text for a cell without a value. */
const NONE = "<none>"

export const make = (nowMs: number): ListColumns<PodRow> => ({
  table: [
    { title: "CLUSTER", cell: (row) => row.cluster },
    { title: "NAMESPACE", cell: (row) => row.namespace },
    { title: "NAME", cell: (row) => row.name },
    { title: "READY", cell: (row) => `${row.readyContainers}/${row.containers}` },
    { title: "STATUS", cell: (row) => row.status },
    { title: "RESTARTS", cell: (row) => restartsOf(row, nowMs) },
    { title: "AGE", cell: (row) => Age.since(row.createdAt, nowMs) }
  ],
  wide: [
    { title: "NODE", cell: (row) => row.node ?? NONE },
    { title: "WORKLOAD", cell: (row) => ownerOf(row) || NONE },
    { title: "CPU", cell: (row) => PlainText.cores(row.cpuRequestMillis) },
    { title: "MEMORY", cell: (row) => PlainText.bytes(row.memoryRequestBytes) },
    { title: "IMAGES", cell: (row) => row.images.join(",") || NONE },
    { title: "LABELS", cell: (row) => shownLabels(row) || NONE }
  ],
  name: (row) => `${row.cluster}/${row.namespace}/Pod/${row.name}`,
  csv: [
    { title: "cluster", cell: (row) => row.cluster },
    { title: "namespace", cell: (row) => row.namespace },
    { title: "name", cell: (row) => row.name },
    { title: "workload", cell: ownerOf },
    { title: "phase", cell: (row) => row.phase },
    { title: "status", cell: (row) => row.status },
    { title: "readyContainers", cell: (row) => row.readyContainers },
    { title: "containers", cell: (row) => row.containers },
    { title: "restarts", cell: (row) => row.restarts },
    { title: "lastRestartAt", cell: (row) => row.lastRestartAt ?? "" },
    { title: "node", cell: (row) => row.node ?? "" },
    { title: "cpuRequestMillis", cell: (row) => row.cpuRequestMillis },
    { title: "memoryRequestBytes", cell: (row) => row.memoryRequestBytes },
    { title: "cpuLimitMillis", cell: (row) => row.cpuLimitMillis },
    { title: "memoryLimitBytes", cell: (row) => row.memoryLimitBytes },
    { title: "images", cell: (row) => row.images.join(" ") },
    { title: "labels", cell: (row) => shownLabels(row) },
    { title: "startedAt", cell: (row) => row.startedAt ?? "" },
    { title: "createdAt", cell: (row) => row.createdAt },
    { title: "id", cell: (row) => row.id }
  ]
})

/** Prints the number of restarts and the time since the last one. **Example** `4 (5m ago)` */
const restartsOf = ({ lastRestartAt, restarts }: PodRow, nowMs: number): string | number =>
  lastRestartAt === undefined ? restarts : `${restarts} (${Age.since(lastRestartAt, nowMs)} ago)`

const ownerOf = ({ owner }: PodRow): string => (owner === null ? "" : `${owner.kind}/${owner.name}`)
