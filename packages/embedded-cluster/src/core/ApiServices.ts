/**
 * Defaults, first status and checks of APIService objects, and the objects of the built-in groups.
 *
 * **Source** Kubernetes 1.36, `k8s.io/kube-aggregator`; the priorities are those of its APIService objects.
 */
import { isObject, type JsonObject, objectAt, put, textAt, withDefaults } from "./Json.ts"
import { apiVersionOf } from "./Resource.ts"
import * as Resources from "./Resources.ts"
import { type FieldError, invalidValue } from "./Status.ts"

/** Priority of each group. If several groups have a kind of the same name, clients prefer the highest priority. */
const PRIORITIES = new Map([
  ["", 18_000],
  ["apps", 17_800],
  ["authentication.k8s.io", 17_700],
  ["authorization.k8s.io", 17_600],
  ["batch", 17_400],
  ["policy", 17_100],
  ["rbac.authorization.k8s.io", 17_000],
  ["apiextensions.k8s.io", 16_700],
  ["coordination.k8s.io", 16_500],
  ["discovery.k8s.io", 16_200]
])
const DEFAULT_PRIORITY = 1_000
const VERSION_PRIORITY = 15

/** APIService objects of the built-in groups. */
export const builtIn = (): ReadonlyArray<JsonObject> => {
  const versions = new Map(Resources.all.map((one) => [apiVersionOf(one), one]))
  return [...versions.values()]
    .filter(({ group }) => group !== Resources.apiServices.group)
    .map(({ group, version }) => ({
      metadata: { name: `${version}.${group}`, labels: { "kube-aggregator.kubernetes.io/automanaged": "onstart" } },
      spec: {
        ...(group === "" ? {} : { group }),
        version,
        groupPriorityMinimum: PRIORITIES.get(group) ?? DEFAULT_PRIORITY,
        versionPriority: group === "" ? 1 : VERSION_PRIORITY
      }
    }))
}

export const fill = (object: JsonObject): JsonObject => {
  const service = objectAt(object, "spec")["service"]
  return isObject(service) ? put(object, ["spec", "service"], withDefaults(service, { port: 443 })) : object
}

/** First status of an APIService: a group that this server provides itself is always available. */
export const firstStatus = (object: JsonObject): JsonObject => {
  if (isObject(objectAt(object, "spec")["service"])) return {}
  return {
    conditions: [
      {
        type: "Available",
        status: "True",
        lastTransitionTime: textAt(object, "metadata", "creationTimestamp"),
        reason: "Local",
        message: "Local APIServices are always available"
      }
    ]
  }
}

export const errors = (object: JsonObject): ReadonlyArray<FieldError> => {
  const name = textAt(object, "metadata", "name")
  const wanted = `${textAt(object, "spec", "version")}.${textAt(object, "spec", "group")}`
  return name === wanted
    ? []
    : [invalidValue("metadata.name", name, `must be spec.version and spec.group, joined by a dot: ${wanted}`)]
}
