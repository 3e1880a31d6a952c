/**
 * `quarterdeck events`: the events of one, several or all clusters.
 */
import { EventSort } from "@quarterdeck/cluster-fanout/ListQuery"
import { EventList } from "@quarterdeck/contract/EventsGroup"
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import * as Connection from "../request/Connection.ts"
import * as EventColumns from "../print/EventColumns.ts"
import * as KindNames from "../../http/request/KindNames.ts"
import * as ListCommand from "./ListCommand.ts"
import * as ListFlags from "./ListFlags.ts"
import { listFlag } from "../print/OutputFlag.ts"
import { targetFlag } from "../request/TargetFlag.ts"

/** The flag of each query parameter. */
const flagOf = { ...ListFlags.flagOf, regarding: "--for", type: "--types", reason: "--reason" }

export const eventsCommand = Command.make(
  "events",
  {
    cluster: targetFlag,
    ...ListFlags.namespaces,
    regarding: Flag.String("for").pipe(
      Flag.withDescription("Only events about one object, as kubectl names it: pod/web-0"),
      Flag.map(KindNames.pathOf),
      Flag.optional
    ),
    type: ListFlags.several("types", "Types, joined by commas: Warning"),
    reason: ListFlags.several("reason", "Reasons, joined by commas: BackOff,FailedScheduling"),
    sort: Flag.Literals("sort", EventSort.literals).pipe(
      Flag.withDescription(`Sort key: ${EventSort.literals.join(", ")}; with lastSeenAt the newest come first`),
      Flag.optional
    ),
    order: ListFlags.order,
    limit: ListFlags.limit,
    consistency: ListFlags.consistency,
    output: listFlag,
    url: Connection.urlFlag
  },
  Effect.fn("events")(function* ({ allNamespaces, cluster, limit, namespace, output, url, ...filters }) {
    const namespaces = yield* ListFlags.namespacesOf({ allNamespaces, namespace })
    yield* ListCommand.run(
      { what: "events", schema: EventList, flags: flagOf, rowsOf: (page) => page.events, columns: EventColumns.make },
      { cluster, limit, output, url, filters: { ...filters, namespace: namespaces } }
    )
  })
).pipe(
  Command.withDescription("List the events of one, several or all clusters, newest first."),
  Command.withShortDescription("List the events of one, several or all clusters"),
  Command.withExamples([
    { command: "quarterdeck events -n shop", description: "Events of one namespace of the parent cluster" },
    { command: "quarterdeck events -n shop --for pod/web-0", description: "Events about one object" },
    {
      command: "quarterdeck events --cluster '*' --types Warning --limit 50",
      description: "Warnings of every cluster"
    },
    { command: "quarterdeck events --cluster prod --reason FailedScheduling,BackOff -o wide" }
  ])
)
