/**
 * Kubernetes events of one, several or all clusters.
 */
import * as KindName from "@quarterdeck/cluster-fanout/KindName"
import { EventSort } from "@quarterdeck/cluster-fanout/ListQuery"
import { EventRow } from "@quarterdeck/cluster-fanout/Row"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authorization } from "./Authorization.ts"
import { envelopeFields } from "./Envelope.ts"
import { namespaceParameter, pageParameters, textUpTo } from "./ListParameters.ts"
import { EndpointPolicy } from "./Policy.ts"
import * as Problem from "./Problem.ts"
import { targetHeader } from "./ClusterHeaderSchema.ts"

export const EventList = Schema.Struct({ events: Schema.Array(EventRow), ...envelopeFields }).annotate({
  identifier: "EventList"
})
export type EventList = typeof EventList.Type

/** A Kubernetes object, as `<Kind>/<name>`. */
const ObjectPath = Schema.String.check(
  Schema.isPattern(KindName.PATH, {
    expected: "a kind, which begins with a capital letter, and a name joined by a slash, such as Pod/web-0"
  })
)

/** Filters of the event list, in addition to those of every list. */
const eventParameters = {
  type: Schema.optionalKey(Schema.Array(textUpTo(64))).annotateKey({
    description:
      "Only events of this type, `Normal` or `Warning`, case-insensitive. Repeat the parameter to match any of several types."
  }),
  reason: Schema.optionalKey(Schema.Array(textUpTo(128))).annotateKey({
    description:
      "Only events with this reason, such as `BackOff`. Repeat the parameter to match any of several reasons."
  }),
  regarding: Schema.optionalKey(ObjectPath).annotateKey({
    description: "Only events about this object, such as `Pod/web-0`."
  })
}

const eventPage = {
  ...pageParameters,
  sort: Schema.optionalKey(EventSort).annotateKey({
    description: "Sort key. Text is sorted by byte order.",
    default: "lastSeenAt"
  }),
  order: pageParameters.order.annotateKey({
    description:
      "Direction of the sort, by default `desc` for `lastSeenAt`. Rows with the same sort key are sorted by cluster first, always ascending."
  })
}

export class EventsGroup extends HttpApiGroup.make("events")
  .add(
    HttpApiEndpoint.get("list", "/events", {
      headers: targetHeader,
      query: { ...namespaceParameter, ...eventParameters, ...eventPage },
      success: EventList,
      error: Problem.ofFanOut
    })
      .annotate(EndpointPolicy, { resource: "events", verb: "read" })
      .annotateMerge(
        OpenApi.annotations({
          summary: "List events",
          description:
            "Merges the events of the addressed clusters, the newest first, with one coverage entry for each cluster. The first request lists a cluster's events and starts a watch; the watch ends ten minutes after the last request. The server keeps the newest 10,000 events of each cluster. Only keys without a namespace scope see events about cluster-scoped objects, such as nodes."
        })
      )
  )
  .annotate(OpenApi.Description, "Kubernetes events of one, several or all clusters.")
  .middleware(Authorization)
  .prefix("/api/v1") {}
