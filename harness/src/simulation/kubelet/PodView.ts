/** The fields of a pod that the fake kubelet reads. */
import { Schema } from "effect"

const Labels = Schema.Record(Schema.String, Schema.String)

const Container = Schema.Struct({
  name: Schema.String,
  image: Schema.optionalKey(Schema.String),
  restartPolicy: Schema.optionalKey(Schema.String)
})

const Toleration = Schema.Struct({
  key: Schema.optionalKey(Schema.String),
  operator: Schema.optionalKey(Schema.String),
  value: Schema.optionalKey(Schema.String),
  effect: Schema.optionalKey(Schema.String)
})

const FieldRequirement = Schema.Struct({
  key: Schema.String,
  operator: Schema.String,
  values: Schema.optionalKey(Schema.Array(Schema.String))
})

const NodeTerm = Schema.Struct({ matchFields: Schema.optionalKey(Schema.Array(FieldRequirement)) })

const NodeAffinity = Schema.Struct({
  requiredDuringSchedulingIgnoredDuringExecution: Schema.optionalKey(
    Schema.Struct({ nodeSelectorTerms: Schema.Array(NodeTerm) })
  )
})

export const PodView = Schema.Struct({
  metadata: Schema.Struct({
    name: Schema.String,
    namespace: Schema.String,
    uid: Schema.String,
    creationTimestamp: Schema.optionalKey(Schema.String),
    labels: Schema.optionalKey(Labels),
    annotations: Schema.optionalKey(Labels),
    deletionTimestamp: Schema.optionalKey(Schema.String),
    deletionGracePeriodSeconds: Schema.optionalKey(Schema.Finite),
    ownerReferences: Schema.optionalKey(
      Schema.Array(Schema.Struct({ kind: Schema.String, controller: Schema.optionalKey(Schema.Boolean) }))
    )
  }),
  spec: Schema.Struct({
    nodeName: Schema.optionalKey(Schema.String),
    restartPolicy: Schema.optionalKey(Schema.String),
    hostNetwork: Schema.optionalKey(Schema.Boolean),
    containers: Schema.Array(Container),
    initContainers: Schema.optionalKey(Schema.Array(Container)),
    readinessGates: Schema.optionalKey(Schema.Array(Schema.Struct({ conditionType: Schema.String }))),
    schedulingGates: Schema.optionalKey(Schema.Array(Schema.Struct({ name: Schema.String }))),
    nodeSelector: Schema.optionalKey(Labels),
    tolerations: Schema.optionalKey(Schema.Array(Toleration)),
    affinity: Schema.optionalKey(Schema.Struct({ nodeAffinity: Schema.optionalKey(NodeAffinity) }))
  }),
  status: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown))
})
export type PodView = typeof PodView.Type

export const decodePod = Schema.decodeUnknownResult(PodView)

/** Returns whether an init container is a sidecar, by its own restart policy. */
export const isSidecar = ({ restartPolicy }: typeof Container.Type): boolean => restartPolicy === "Always"
