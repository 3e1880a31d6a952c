/**
 * `GET /api/v1/events`.
 */
import { Events } from "@quarterdeck/cluster-fanout/Events"
import { Api } from "@quarterdeck/contract/Api"
import type { EventList } from "@quarterdeck/contract/EventsGroup"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as ListPage from "../lists/ListPage.ts"
import * as ListQuestion from "../lists/ListQuestion.ts"
import * as ListRefusal from "../refusal/ListRefusal.ts"
import * as ListReply from "../lists/ListReply.ts"
import * as TargetResolution from "../guard/TargetResolution.ts"

export const EventHandlers = HttpApiBuilder.group(
  Api,
  "events",
  Effect.fn(function* (handlers) {
    const events = yield* Events
    return handlers.handle(
      "list",
      Effect.fnUntraced(function* ({ query }) {
        const { namespace, reason, regarding, type, ...parameters } = query
        const sort = parameters.sort ?? "lastSeenAt"
        // Newest first by default.
        const order = parameters.order ?? (sort === "lastSeenAt" ? "desc" : "asc")
        const page = yield* ListPage.fromQuery({ ...parameters, order }, sort)
        yield* TargetResolution.noteNamespaces(namespace)
        const admitted = yield* TargetResolution.admit
        const { items, ...envelope } = yield* events
          .list({
            ...ListQuestion.within(admitted),
            filter: {
              ...(namespace === undefined ? {} : { namespace }),
              ...(type === undefined ? {} : { type }),
              ...(reason === undefined ? {} : { reason }),
              ...(regarding === undefined ? {} : { regarding: ListPage.namedObject(regarding) })
            },
            page
          })
          .pipe(Effect.catch(ListRefusal.fromError))
        return yield* ListReply.ofRows("events", { events: items, ...envelope } satisfies EventList)
      })
    )
  })
)
