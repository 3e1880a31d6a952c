/**
 * Protobuf shapes of Pods, ReplicaSets and Deployments, limited to the fields that projections read.
 *
 * **Source** Kubernetes 1.36, `generated.proto` of `api/core/v1`, `api/apps/v1`, `apimachinery/pkg/apis/meta/v1` and
 * `apimachinery/pkg/runtime`. When a projection reads a further field, add it here too.
 */
import type { Resource } from "./KubeObject.ts"
import * as Shape from "./ProtobufShape.ts"

const { filledText, flag, inline, integer, message, messages, nonZero, quantities, raisedFlag, text, texts, time } =
  Shape

const METADATA = Shape.make({
  1: filledText("name"),
  3: filledText("namespace"),
  5: filledText("uid"),
  6: filledText("resourceVersion"),
  7: nonZero("generation"),
  8: time("creationTimestamp"),
  9: time("deletionTimestamp"),
  11: texts("labels"),
  13: messages(
    "ownerReferences",
    Shape.make({ 1: text("kind"), 3: text("name"), 4: text("uid"), 5: text("apiVersion"), 6: flag("controller") })
  )
})

const RESOURCES = message("resources", Shape.make({ 1: quantities("limits"), 2: quantities("requests") }))

const CONTAINER = Shape.make({
  1: text("name"),
  2: filledText("image"),
  8: RESOURCES,
  24: filledText("restartPolicy")
})

const VOLUME_SOURCE = Shape.make({
  10: message("persistentVolumeClaim", Shape.make({ 1: text("claimName") })),
  // Only the presence of this field matters.
  29: message("ephemeral", [])
})

const POD_SPEC = Shape.make({
  1: messages("volumes", Shape.make({ 1: text("name"), 2: inline(VOLUME_SOURCE) })),
  2: messages("containers", CONTAINER),
  10: filledText("nodeName"),
  20: messages("initContainers", CONTAINER),
  32: quantities("overhead"),
  40: RESOURCES
})

const CONTAINER_STATE = Shape.make({
  1: message("waiting", Shape.make({ 1: filledText("reason"), 2: filledText("message") })),
  2: message("running", Shape.make({ 1: time("startedAt") })),
  3: message(
    "terminated",
    Shape.make({
      1: integer("exitCode"),
      2: nonZero("signal"),
      3: filledText("reason"),
      4: filledText("message"),
      5: time("startedAt"),
      6: time("finishedAt")
    })
  )
})

const CONTAINER_STATUS = Shape.make({
  1: text("name"),
  2: message("state", CONTAINER_STATE),
  3: message("lastState", CONTAINER_STATE),
  4: flag("ready"),
  5: integer("restartCount"),
  9: flag("started"),
  10: quantities("allocatedResources"),
  11: RESOURCES
})

const POD = Shape.make({
  1: message("metadata", METADATA),
  2: message("spec", POD_SPEC),
  3: message(
    "status",
    Shape.make({
      1: filledText("phase"),
      2: messages(
        "conditions",
        Shape.make({ 1: text("type"), 2: text("status"), 4: time("lastTransitionTime"), 5: filledText("reason") })
      ),
      4: filledText("reason"),
      7: time("startTime"),
      8: messages("containerStatuses", CONTAINER_STATUS),
      10: messages("initContainerStatuses", CONTAINER_STATUS),
      19: quantities("allocatedResources"),
      20: RESOURCES
    })
  )
})

/** Conditions of Deployments. Other kinds have other field numbers for the same members. */
const DEPLOYMENT_CONDITIONS = messages(
  "conditions",
  Shape.make({ 1: text("type"), 2: text("status"), 4: filledText("reason"), 7: time("lastTransitionTime") })
)

const REPLICA_SET_CONDITIONS = messages(
  "conditions",
  Shape.make({ 1: text("type"), 2: text("status"), 3: time("lastTransitionTime"), 4: filledText("reason") })
)

const TEMPLATE = message("template", Shape.make({ 2: message("spec", POD_SPEC) }))

const DEPLOYMENT = Shape.make({
  1: message("metadata", METADATA),
  2: message("spec", Shape.make({ 1: integer("replicas"), 3: TEMPLATE, 7: raisedFlag("paused") })),
  3: message(
    "status",
    Shape.make({
      1: nonZero("observedGeneration"),
      2: nonZero("replicas"),
      3: nonZero("updatedReplicas"),
      4: nonZero("availableReplicas"),
      6: DEPLOYMENT_CONDITIONS,
      7: nonZero("readyReplicas")
    })
  )
})

const REPLICA_SET = Shape.make({
  1: message("metadata", METADATA),
  2: message("spec", Shape.make({ 1: integer("replicas"), 3: TEMPLATE })),
  3: message(
    "status",
    Shape.make({
      1: integer("replicas"),
      3: nonZero("observedGeneration"),
      4: nonZero("readyReplicas"),
      5: nonZero("availableReplicas"),
      6: REPLICA_SET_CONDITIONS
    })
  )
})

const SHAPES: ReadonlyMap<string, Shape.Shape> = new Map([
  ["v1/Pod", POD],
  ["apps/v1/Deployment", DEPLOYMENT],
  ["apps/v1/ReplicaSet", REPLICA_SET]
])

/** Returns the `apiVersion` of a resource's objects. **Example** `apps/v1` */
export const apiVersion = ({ group, version }: Resource): string => (group === "" ? version : `${group}/${version}`)

/** Finds the shape of a collection's objects. **Shape** `undefined` if they are read as JSON. */
export const find = (resource: Resource): Shape.Shape | undefined =>
  SHAPES.get(`${apiVersion(resource)}/${resource.kind}`)

/** Wrapper of each answer and of each object in a watch, after {@link MAGIC}. **Source** `runtime.Unknown` */
export const UNKNOWN = Shape.make({
  1: message("typeMeta", Shape.make({ 1: text("apiVersion"), 2: text("kind") })),
  2: Shape.bytes("raw"),
  3: filledText("contentEncoding")
})

export const MAGIC = Buffer.from("k8s\0")

export const LIST = Shape.make({
  1: message("metadata", Shape.make({ 2: text("resourceVersion"), 3: filledText("continue") })),
  2: Shape.bytes("item")
})

export const WATCH_EVENT = Shape.make({
  1: text("type"),
  2: message("object", Shape.make({ 1: Shape.bytes("raw") }))
})

/** A bookmark's object, which has only metadata. */
export const BOOKMARK = Shape.make({
  1: message("metadata", Shape.make({ 6: text("resourceVersion"), 12: texts("annotations") }))
})

export const STATUS = Shape.make({
  2: filledText("status"),
  3: filledText("message"),
  4: filledText("reason"),
  5: message("details", Shape.make({ 5: nonZero("retryAfterSeconds") })),
  6: nonZero("code")
})
