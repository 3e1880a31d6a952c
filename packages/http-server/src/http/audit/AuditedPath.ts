/**
 * Tells the audit what a path names, before anything of it is decided.
 */
import { Kind, ObjectName } from "@quarterdeck/contract/ListParameters"
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { NamespaceName } from "@quarterdeck/targeting/NamespaceFilter"
import { Effect, Option, Schema } from "effect"
import { HttpRouter } from "effect/http"
import * as RequestRecord from "../request/RequestRecord.ts"

const decode = Schema.decodeUnknownOption(
  Schema.Struct({
    cluster: ClusterName,
    namespace: NamespaceName,
    kind: Schema.optionalKey(Kind),
    name: ObjectName
  })
)

/** A path that names a cluster alone. */
const decodeCluster = Schema.decodeUnknownOption(
  Schema.Struct({ name: ClusterName, cluster: Schema.optionalKey(Schema.Never) })
)

/**
 * Notes which cluster, or which object of which cluster the path of the current request names, if it names one.
 *
 * **Shape** a path with a text that no name can be is left out, for it may be a secret.
 *
 * **Example** `Deployment/web`
 */
export const note: Effect.Effect<void, never, HttpRouter.RouteContext> = Effect.gen(function* () {
  const { params } = yield* HttpRouter.RouteContext
  const named = Option.getOrUndefined(decode(params))
  if (named === undefined) {
    const alone = Option.getOrUndefined(decodeCluster(params))
    if (alone !== undefined) yield* RequestRecord.note({ target: { asked: alone.name, clusters: [] } })
    return
  }
  const { cluster, kind, name, namespace } = named
  yield* RequestRecord.note({
    target: {
      asked: cluster,
      clusters: [],
      namespaces: [namespace],
      object: kind === undefined ? name : `${kind}/${name}`
    }
  })
})
