/** Schemas of the fields that usage and metrics read. */
import { Schema } from "effect"

const Texts = Schema.Record(Schema.String, Schema.String)
export const Quantities = Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Finite]))

export const Owner = Schema.Struct({
  kind: Schema.String,
  name: Schema.String,
  controller: Schema.optionalKey(Schema.Boolean)
})

export const Metadata = Schema.Struct({
  name: Schema.String,
  namespace: Schema.optionalKey(Schema.String),
  uid: Schema.String,
  creationTimestamp: Schema.String,
  deletionTimestamp: Schema.optionalKey(Schema.String),
  labels: Schema.optionalKey(Texts),
  annotations: Schema.optionalKey(Texts),
  ownerReferences: Schema.optionalKey(Schema.Array(Owner))
})
export const Named = Schema.Struct({ metadata: Metadata })

export const ContainerState = Schema.Struct({
  running: Schema.optionalKey(Schema.Struct({ startedAt: Schema.optionalKey(Schema.String) })),
  waiting: Schema.optionalKey(Schema.Struct({ reason: Schema.optionalKey(Schema.String) })),
  terminated: Schema.optionalKey(
    Schema.Struct({
      reason: Schema.optionalKey(Schema.String),
      startedAt: Schema.optionalKey(Schema.NullOr(Schema.String)),
      finishedAt: Schema.optionalKey(Schema.NullOr(Schema.String))
    })
  )
})

export const Pod = Schema.Struct({
  metadata: Metadata,
  spec: Schema.Struct({
    nodeName: Schema.optionalKey(Schema.String),
    hostNetwork: Schema.optionalKey(Schema.Boolean),
    priorityClassName: Schema.optionalKey(Schema.String),
    containers: Schema.Array(
      Schema.Struct({
        name: Schema.String,
        image: Schema.optionalKey(Schema.String),
        resources: Schema.optionalKey(
          Schema.Struct({ requests: Schema.optionalKey(Quantities), limits: Schema.optionalKey(Quantities) })
        )
      })
    ),
    volumes: Schema.optionalKey(
      Schema.Array(
        Schema.Struct({
          name: Schema.String,
          persistentVolumeClaim: Schema.optionalKey(Schema.Struct({ claimName: Schema.String }))
        })
      )
    )
  }),
  status: Schema.optionalKey(
    Schema.Struct({
      phase: Schema.optionalKey(Schema.String),
      hostIP: Schema.optionalKey(Schema.String),
      podIP: Schema.optionalKey(Schema.String),
      startTime: Schema.optionalKey(Schema.String),
      containerStatuses: Schema.optionalKey(
        Schema.Array(
          Schema.Struct({
            name: Schema.String,
            ready: Schema.optionalKey(Schema.Boolean),
            restartCount: Schema.optionalKey(Schema.Finite),
            state: Schema.optionalKey(ContainerState)
          })
        )
      )
    })
  )
})

export const Node = Schema.Struct({
  metadata: Metadata,
  spec: Schema.optionalKey(
    Schema.Struct({ providerID: Schema.optionalKey(Schema.String), unschedulable: Schema.optionalKey(Schema.Boolean) })
  ),
  status: Schema.optionalKey(
    Schema.Struct({
      capacity: Schema.optionalKey(Quantities),
      allocatable: Schema.optionalKey(Quantities),
      addresses: Schema.optionalKey(Schema.Array(Schema.Struct({ type: Schema.String, address: Schema.String }))),
      conditions: Schema.optionalKey(Schema.Array(Schema.Struct({ type: Schema.String, status: Schema.String }))),
      nodeInfo: Schema.optionalKey(Texts)
    })
  )
})

export const Volume = Schema.Struct({
  metadata: Metadata,
  spec: Schema.Struct({
    capacity: Schema.optionalKey(Quantities),
    storageClassName: Schema.optionalKey(Schema.String),
    claimRef: Schema.optionalKey(
      Schema.Struct({ name: Schema.optionalKey(Schema.String), namespace: Schema.optionalKey(Schema.String) })
    ),
    csi: Schema.optionalKey(Schema.Struct({ driver: Schema.String, volumeHandle: Schema.String }))
  }),
  status: Schema.optionalKey(Schema.Struct({ phase: Schema.optionalKey(Schema.String) }))
})

export const Claim = Schema.Struct({
  metadata: Metadata,
  spec: Schema.Struct({
    volumeName: Schema.optionalKey(Schema.String),
    storageClassName: Schema.optionalKey(Schema.String),
    resources: Schema.optionalKey(Schema.Struct({ requests: Schema.optionalKey(Quantities) }))
  }),
  status: Schema.optionalKey(Schema.Struct({ phase: Schema.optionalKey(Schema.String) }))
})

export const Service = Schema.Struct({
  metadata: Metadata,
  spec: Schema.Struct({
    type: Schema.optionalKey(Schema.String),
    clusterIP: Schema.optionalKey(Schema.String),
    externalName: Schema.optionalKey(Schema.String)
  }),
  status: Schema.optionalKey(
    Schema.Struct({
      loadBalancer: Schema.optionalKey(
        Schema.Struct({
          ingress: Schema.optionalKey(
            Schema.Array(
              Schema.Struct({ ip: Schema.optionalKey(Schema.String), hostname: Schema.optionalKey(Schema.String) })
            )
          )
        })
      )
    })
  )
})
