/** The fields of a node that the fake kubelet reads. */
import { Schema } from "effect"
import { PREFIX } from "./PodScript.ts"

const Labels = Schema.Record(Schema.String, Schema.String)
const Texts = Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Number]))

export const NodeView = Schema.Struct({
  metadata: Schema.Struct({
    name: Schema.String,
    uid: Schema.String,
    resourceVersion: Schema.String,
    labels: Schema.optionalKey(Labels),
    annotations: Schema.optionalKey(Labels)
  }),
  spec: Schema.optionalKey(
    Schema.Struct({
      unschedulable: Schema.optionalKey(Schema.Boolean),
      taints: Schema.optionalKey(
        Schema.Array(
          Schema.Struct({ key: Schema.String, effect: Schema.String, value: Schema.optionalKey(Schema.String) })
        )
      )
    })
  ),
  status: Schema.optionalKey(
    Schema.StructWithRest(
      Schema.Struct({
        capacity: Schema.optionalKey(Texts),
        allocatable: Schema.optionalKey(Texts),
        addresses: Schema.optionalKey(Schema.Array(Schema.Struct({ type: Schema.String, address: Schema.String }))),
        nodeInfo: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown))
      }),
      [Schema.Record(Schema.String, Schema.Unknown)]
    )
  )
})
export type NodeView = typeof NodeView.Type

export const decodeNode = Schema.decodeUnknownResult(NodeView)

/** Annotation that makes a node unhealthy: `not-ready` or `unreachable`. */
export const NODE_ANNOTATION = `${PREFIX}node`

/**
 * `not-ready`: the kubelet reports the node as not ready. `unreachable`: the kubelet stops reporting, and the lease
 * expires.
 */
export type NodeHealth = "ready" | "not-ready" | "unreachable"

export const healthOf = ({ metadata }: NodeView): NodeHealth => {
  const health = metadata.annotations?.[NODE_ANNOTATION]
  return health === "not-ready" || health === "unreachable" ? health : "ready"
}

/** Returns the node's address, which its pods report as their host's. */
export const internalIpOf = ({ status }: NodeView): string | undefined =>
  status?.addresses?.find(({ type }) => type === "InternalIP")?.address
