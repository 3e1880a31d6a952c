/**
 * Classifies the keys of an API server's store for a restore.
 *
 * **Source** Kubernetes, `pkg/kubeapiserver/default_storage_factory_builder.go` and the storage prefixes in
 * `pkg/registry`. Built-in kinds are under `/registry/<resource>/`, custom ones under `/registry/<group>/<resource>/`.
 */
import { Option, Schema } from "effect"
import { isAutoregistered } from "../../state/ApiObjects.ts"

export const PREFIX = "/registry/"

/**
 * The treatment of a key by a restore.
 *
 * **Shape** `kept` keys get their captured value. `renewed` keys get it only if they are missing; otherwise the present
 * value stays. `passing` keys are never written. New keys of these three kinds are deleted. `server` keys belong to the
 * running server and are not touched.
 */
export type Treatment = "kept" | "renewed" | "passing" | "server"

/** Leases by which the running API server announces itself. */
const SERVER = [
  "/registry/masterleases/",
  "/registry/peerserverleases/",
  "/registry/leases/kube-system/apiserver-",
  "/registry/leases/kube-system/kube-apiserver-"
]

export const treatmentOf = (key: string): Treatment => {
  if (SERVER.some((prefix) => key.startsWith(prefix))) return "server"
  // etcd deletes an event when its etcd lease expires. A restored event would have no lease and never expire.
  if (key.startsWith("/registry/events/")) return "passing"
  // A lease with an old time would look expired although its holder runs.
  return key.startsWith("/registry/leases/") ? "renewed" : "kept"
}

/**
 * Returns the key prefix of a resource's objects: `/registry/pods/`, `/registry/services/specs/`,
 * `/registry/example.com/crontabs/`.
 */
export const resourceOf = (key: string): string => {
  const [first = "", second = ""] = key.slice(PREFIX.length).split("/")
  return first.includes(".") || first === "services" ? `${PREFIX}${first}/${second}/` : `${PREFIX}${first}/`
}

export const DEFINITIONS = "/registry/apiextensions.k8s.io/customresourcedefinitions/"
export const API_SERVICES = "/registry/apiregistration.k8s.io/apiservices/"
export const NAMESPACES = "/registry/namespaces/"

const Labelled = Schema.fromJsonString(
  Schema.Struct({
    metadata: Schema.Struct({ labels: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)) })
  })
)
const decodeLabelled = Schema.decodeUnknownOption(Labelled)

/** Returns whether a value is an API service that the server registers itself. Such values are stored as JSON. */
export const holdsAutoregistered = ({ value }: { readonly value: string }): boolean =>
  Option.exists(decodeLabelled(Buffer.from(value, "base64").toString()), isAutoregistered)
