/**
 * The events of one, several or all clusters.
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

/** An object as `<Kind>/<name>`. */
const ObjectPath = Schema.String.check(
  Schema.isPattern(KindName.PATH, {
    expected: "a kind, which begins with a capital letter, and a name joined by a slash, such as Pod/web-0"
  })
)

/** What narrows a list of events beside what every list takes. */
const eventParameters = {
  type: Schema.optionalKey(Schema.Array(textUpTo(64))).annotateKey({
    description: "Events of this type, `Normal` or `Warning`, in any case; several are any of them."
  }),
  reason: Schema.optionalKey(Schema.Array(textUpTo(128))).annotateKey({
    description: "Events with this reason, as `BackOff`; several are any of them."
  }),
  regarding: Schema.optionalKey(ObjectPath).annotateKey({
    description: "Events about this object, as `Pod/web-0`."
  })
}

const eventPage = {
  ...pageParameters,
  sort: Schema.optionalKey(EventSort).annotateKey({
    description: "The sort key; text by byte order.",
    default: "lastSeenAt"
  }),
  order: pageParameters.order.annotateKey({
    description: "Of the sort key, `desc` for `lastSeenAt` unless given; ties ascend."
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
            "Merged over the addressed clusters, with one coverage entry a cluster; the newest first. A cluster's events are followed from when they are first asked for until ten minutes after they were last, so the first answer takes as long as a list of them; the newest 10,000 of a cluster are held. Events about objects of the cluster scope, such as nodes, are shown to keys without a namespace scope."
        })
      )
  )
  .annotate(OpenApi.Description, "The events of one, several or all clusters.")
  .middleware(Authorization)
  .prefix("/api/v1") {}
