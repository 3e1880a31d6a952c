/**
 * The columns of events. A table has kubectl's columns, CSV every field.
 */
import type { EventRow } from "@quarterdeck/cluster-fanout/Row"
import * as Age from "./Age.ts"
import type { ListColumns } from "./Output.ts"

/** kubectl's text for the namespace of a cluster-scoped object. */
const NONE = "<none>"

const objectOf = ({ regarding: { kind, name } }: EventRow): string => `${kind}/${name}`

export const make = (nowMs: number): ListColumns<EventRow> => ({
  table: [
    { title: "CLUSTER", cell: (row) => row.cluster },
    { title: "NAMESPACE", cell: (row) => row.namespace ?? NONE },
    { title: "LAST SEEN", cell: (row) => Age.since(row.lastSeenAt, nowMs) },
    { title: "TYPE", cell: (row) => row.type },
    { title: "REASON", cell: (row) => row.reason },
    { title: "OBJECT", cell: objectOf },
    { title: "MESSAGE", cell: (row) => row.message.trim() }
  ],
  wide: [
    { title: "SOURCE", cell: (row) => row.reportedBy || NONE },
    { title: "FIRST SEEN", cell: (row) => Age.since(row.firstSeenAt, nowMs) },
    { title: "COUNT", cell: (row) => row.count }
  ],
  name: (row) => `${row.cluster}/${row.namespace ?? ""}/${objectOf(row)}`,
  csv: [
    { title: "cluster", cell: (row) => row.cluster },
    { title: "namespace", cell: (row) => row.namespace ?? "" },
    { title: "object", cell: objectOf },
    { title: "objectId", cell: (row) => row.regarding.id ?? "" },
    { title: "type", cell: (row) => row.type },
    { title: "reason", cell: (row) => row.reason },
    { title: "message", cell: (row) => row.message },
    { title: "count", cell: (row) => row.count },
    { title: "firstSeenAt", cell: (row) => row.firstSeenAt },
    { title: "lastSeenAt", cell: (row) => row.lastSeenAt },
    { title: "reportedBy", cell: (row) => row.reportedBy },
    { title: "id", cell: (row) => row.id }
  ]
})
