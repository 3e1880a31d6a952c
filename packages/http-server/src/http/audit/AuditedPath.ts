/**
 * Reads the object that a request's path names, for the audit of a request whose target is not resolved yet.
 */
import { Kind, ObjectName } from "@quarterdeck/contract/ListParameters"
import type { AuditFacts } from "@quarterdeck/keys/AuditEvent"
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { NamespaceName } from "@quarterdeck/targeting/NamespaceFilter"
import { Option, Schema } from "effect"

const decode = Schema.decodeUnknownOption(
  Schema.Struct({
    cluster: ClusterName,
    namespace: NamespaceName,
    kind: Schema.optionalKey(Kind),
    name: ObjectName
  })
)

/** Decodes a path that names only a cluster. */
const decodeCluster = Schema.decodeUnknownOption(
  Schema.Struct({ name: ClusterName, cluster: Schema.optionalKey(Schema.Never) })
)

/**
 * Reads the cluster, or the object of a cluster, that a path names, if it names one.
 *
 * **Shape** a path with an invalid name is omitted, because the text may be a secret.
 *
 * **Example** the object `Deployment/web`
 */
export const targetOf = (params: Readonly<Record<string, string | undefined>>): AuditFacts["target"] | undefined => {
  const named = Option.getOrUndefined(decode(params))
  if (named === undefined) {
    const alone = Option.getOrUndefined(decodeCluster(params))
    return alone === undefined ? undefined : { asked: alone.name, clusters: [] }
  }
  const { cluster, kind, name, namespace } = named
  return {
    asked: cluster,
    clusters: [],
    namespaces: [namespace],
    object: kind === undefined ? name : `${kind}/${name}`
  }
}
