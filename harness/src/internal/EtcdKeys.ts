/**
 * What the keys of an API server's store mean to somebody who takes its objects back to an earlier time.
 *
 * **Source** Kubernetes, `pkg/kubeapiserver/default_storage_factory_builder.go` and the storage prefixes in
 * `pkg/registry`; built-in kinds lie under `/registry/<resource>/`, custom ones under `/registry/<group>/<resource>/`.
 *
 * @since 0.1.0
 */

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

/**
 * Whether the running server keeps the key for itself: also an API service that it makes and removes as the kinds of a
 * group come and go, and would make anew at once.
 *
 * **Source** kube-aggregator, `pkg/controllers/autoregister`. The label's name stands in a value whatever its encoding.
 */
export const isServers = ({ key, value }: { readonly key: string; readonly value: string }): boolean =>
  treatmentOf(key) === "server"
  || (key.startsWith(API_SERVICES)
    && Buffer.from(value, "base64").includes("kube-aggregator.kubernetes.io/automanaged"))
