/**
 * `quarterdeck events`: the events of one, several or all clusters.
 */
import { EventSort } from "@quarterdeck/cluster-fanout/ListQuery"
import { EventList } from "@quarterdeck/contract/EventsGroup"
import { Clock, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import * as ApiClient from "./ApiClient.ts"
import * as Connection from "./Connection.ts"
import * as EventColumns from "./EventColumns.ts"
import * as KindNames from "./KindNames.ts"
import * as ListFlags from "./ListFlags.ts"
import * as MergedList from "./MergedList.ts"
import { listFlag } from "./OutputFlag.ts"
import * as Pages from "./Pages.ts"
import { headersOf, targetFlag } from "./TargetFlag.ts"

/** The flags that query parameters of this list come from. */
const flagOf = { ...ListFlags.flagOf, regarding: "--for", type: "--types", reason: "--reason" }

export const eventsCommand = Command.make(
  "events",
  {
    cluster: targetFlag,
    ...ListFlags.namespaces,
    regarding: Flag.String("for").pipe(
      Flag.withDescription("Those about one object, in kubectl's words: pod/web-0"),
      Flag.map(KindNames.pathOf),
      Flag.optional
    ),
    type: ListFlags.several("types", "Types, joined by a comma: Warning"),
    reason: ListFlags.several("reason", "Reasons, joined by a comma: BackOff,FailedScheduling"),
    sort: Flag.Literals("sort", EventSort.literals).pipe(
      Flag.withDescription(`Sort key: ${EventSort.literals.join(", ")}; by lastSeenAt the newest come first`),
      Flag.optional
    ),
    order: ListFlags.order,
    limit: ListFlags.limit,
    consistency: ListFlags.consistency,
    output: listFlag,
    url: Connection.urlFlag
  },
  Effect.fn("events")(function* ({ allNamespaces, cluster, limit, namespace, output, url, ...filters }) {
    const connection = yield* Connection.read(url)
    const query = ListFlags.queryOf({
      ...filters,
      namespace: yield* ListFlags.namespacesOf({ allNamespaces, namespace })
    })
    const read = yield* Pages.read(
      limit,
      (page) =>
        ApiClient.call(connection, EventList, {
          method: "GET",
          path: "/api/v1/events",
          query: [...query, ...page],
          headers: headersOf(connection, cluster),
          flags: flagOf
        }),
      (page) => page.events
    )
    const columns = EventColumns.make(yield* Clock.currentTimeMillis)
    yield* MergedList.print({ what: "events", cluster, limit, output, columns }, read, (page) => page.events)
  })
).pipe(
  Command.withDescription("List the events of one, several or all clusters, the newest first."),
  Command.withShortDescription("List the events of one, several or all clusters"),
  Command.withExamples([
    { command: "quarterdeck events -n shop", description: "Those of a namespace of the parent cluster" },
    { command: "quarterdeck events -n shop --for pod/web-0", description: "Those about one object" },
    {
      command: "quarterdeck events --cluster '*' --types Warning --limit 50",
      description: "What goes wrong, anywhere"
    },
    { command: "quarterdeck events --cluster prod --reason FailedScheduling,BackOff -o wide" }
  ])
)
