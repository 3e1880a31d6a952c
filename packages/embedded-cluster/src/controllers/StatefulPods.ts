/**
 * Pods of a StatefulSet: their names, ordinals and volumes.
 *
 * **Source** Kubernetes, `pkg/controller/statefulset/stateful_set_utils.go`.
 */
import { arrayAt, at, type JsonObject, numberAt, objectAt, textAt } from "../core/Json.ts"
import * as Resources from "../core/Resources.ts"
import type { Stored } from "../core/Stored.ts"
import type { Turn } from "./Controller.ts"
import { controllerReference, create } from "./ControllerWrites.ts"
import type { Revision } from "./Revisions.ts"
import { podFrom } from "./Templates.ts"
import { objectOf, type Pod } from "./Views.ts"

/** Label with the revision of a pod. */
const REVISION_LABEL = "controller-revision-hash"

/** Ordinal in a pod's name. Returns `undefined` if the name does not belong to the StatefulSet. */
export const ordinalOf = (set: string, pod: string): number | undefined => {
  const tail = pod.startsWith(`${set}-`) ? pod.slice(set.length + 1) : ""
  return /^(?:0|[1-9][0-9]{0,8})$/.test(tail) ? Number(tail) : undefined
}

export const revisionOf = (pod: Pod): string => pod.stored.labels[REVISION_LABEL] ?? ""

/** Creates a pod and its claims. Returns whether they were created. */
export const make = (turn: Turn, set: Stored, ordinal: number, revision: Revision): boolean => {
  const object = objectOf(set)
  const name = `${set.name}-${ordinal}`
  const templates = arrayAt(object, "spec", "volumeClaimTemplates")
  const claims = templates.map((template) => {
    const volume = textAt(template, "metadata", "name")
    return { volume, claim: `${volume}-${name}`, template }
  })
  for (const { claim, template } of claims) {
    if (turn.kernel.store.get(Resources.persistentVolumeClaims, `${set.namespace}/${claim}`) !== undefined) continue
    const metadata = objectAt(template, "metadata")
    const labels = { ...objectAt(metadata, "labels"), ...objectAt(object, "spec", "selector", "matchLabels") }
    const claimed = { metadata: { ...metadata, name: claim, labels }, spec: objectAt(template, "spec") }
    if (!create(turn, Resources.persistentVolumeClaims, set.namespace, claimed)) return false
  }
  const spec = objectAt(revision.template, "spec")
  const volumes = [
    ...arrayAt(spec, "volumes").filter((one) => !claims.some(({ volume }) => volume === textAt(one, "name"))),
    ...claims.map(({ claim, volume }) => ({ name: volume, persistentVolumeClaim: { claimName: claim } }))
  ]
  const subdomain = textAt(object, "spec", "serviceName")
  const podTemplate: JsonObject = {
    ...revision.template,
    spec: {
      ...spec,
      hostname: name,
      ...(subdomain === "" ? {} : { subdomain }),
      ...(volumes.length === 0 ? {} : { volumes })
    }
  }
  const pod = podFrom(podTemplate, {
    name,
    generateName: `${set.name}-`,
    labels: {
      [REVISION_LABEL]: revision.name,
      "apps.kubernetes.io/pod-index": String(ordinal),
      "statefulset.kubernetes.io/pod-name": name
    },
    owner: controllerReference(Resources.statefulSets, set)
  })
  return create(turn, Resources.pods, set.namespace, pod)
}

/** Ordinals that a StatefulSet should have, lowest first. */
export const ordinals = (object: JsonObject): ReadonlyArray<number> => {
  const start = numberAt(object, "spec", "ordinals", "start") ?? 0
  return Array.from({ length: numberAt(object, "spec", "replicas") ?? 1 }, (_, index) => start + index)
}

/** Ordinal below which pods keep their old revision. */
export const partitionOf = (object: JsonObject): number =>
  numberAt(at(object, "spec", "updateStrategy"), "rollingUpdate", "partition") ?? 0
