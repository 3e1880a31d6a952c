/**
 * What the keys of an API server's store mean to somebody who takes its objects back to an earlier time.
 *
 * **Source** Kubernetes, `pkg/kubeapiserver/default_storage_factory_builder.go` and the storage prefixes in
 * `pkg/registry`; built-in kinds lie under `/registry/<resource>/`, custom ones under `/registry/<group>/<resource>/`.
 */
import { Option, Schema } from "effect"
import { isAutoregistered } from "../../state/ApiObjects.ts"

export const PREFIX = "/registry/"

/**
 * How a key is treated.
 *
 * **Shape** `kept` goes back to its old value. `renewed` is there or not as it was, with the value that its holder last
 * wrote. `passing` is never written: it goes when it came since. `server` belongs to the server that runs, so nobody
 * else touches it.
 */
export type Treatment = "kept" | "renewed" | "passing" | "server"

/** How the running API server tells others that it is there. */
const SERVER = [
  "/registry/masterleases/",
  "/registry/peerserverleases/",
  "/registry/leases/kube-system/apiserver-",
  "/registry/leases/kube-system/kube-apiserver-"
]

export const treatmentOf = (key: string): Treatment => {
  if (SERVER.some((prefix) => key.startsWith(prefix))) return "server"
  // Events die by a clock of the store, which a rewritten one would no longer have.
  if (key.startsWith("/registry/events/")) return "passing"
  // A lease with an old time would look abandoned, although its holder lives.
  return key.startsWith("/registry/leases/") ? "renewed" : "kept"
}

/** The place of a resource's objects: `/registry/pods/`, `/registry/services/specs/`, `/registry/example.com/crontabs/`. */
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

/** Whether a value is that of an API service which the server registers by itself. Those are stored as JSON. */
export const holdsAutoregistered = ({ value }: { readonly value: string }): boolean =>
  Option.exists(decodeLabelled(Buffer.from(value, "base64").toString()), isAutoregistered)
