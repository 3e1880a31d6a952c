/**
 * `GET /api/v1/events`.
 */
import { Events } from "@quarterdeck/cluster-fanout/Events"
import { Api } from "@quarterdeck/contract/Api"
import type { EventList } from "@quarterdeck/contract/EventsGroup"
import { Principal } from "@quarterdeck/keys/Principal"
import * as Rule from "@quarterdeck/keys/Rule"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as ListPage from "../lists/ListPage.ts"
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
        const principal = yield* Principal
        const sort = parameters.sort ?? "lastSeenAt"
        // What happened last is what one looks for.
        const order = parameters.order ?? (sort === "lastSeenAt" ? "desc" : "asc")
        const page = yield* ListPage.fromQuery({ ...parameters, order }, sort)
        yield* TargetResolution.noteNamespaces(namespace)
        const target = yield* TargetResolution.resolve()
        const { items, ...envelope } = yield* events
          .list({
            target,
            namespaces: Rule.namespaceFilter(principal.rule),
            filter: {
              ...(namespace === undefined ? {} : { namespace }),
              ...(type === undefined ? {} : { type }),
              ...(reason === undefined ? {} : { reason }),
              ...(regarding === undefined ? {} : { regarding: ListPage.namedObject(regarding) })
            },
            page,
            cursorBinding: principal.keyId
          })
          .pipe(Effect.catch(ListRefusal.fromError))
        return yield* ListReply.ofRows("events", { events: items, ...envelope } satisfies EventList)
      })
    )
  })
)
