/**
 * Parsed nodes, and the rules for which pods may run on a node.
 *
 * **Source** Kubernetes, `k8s.io/component-helpers/scheduling/corev1`.
 */
import { arrayAt, at, equals, type Json, type JsonObject, objectAt, textAt, textsAt } from "../core/Json.ts"
import * as LabelSelector from "../core/LabelSelector.ts"
import { oncePer } from "../core/OncePer.ts"
import type { Change } from "../core/Store.ts"
import { read, type Stored } from "../core/Stored.ts"
import { amounts, conditionOf } from "./Views.ts"

export interface Taint {
  readonly key: string
  readonly value: string
  readonly effect: string
}

export interface Node {
  readonly name: string
  readonly labels: LabelSelector.Labels
  readonly taints: ReadonlyArray<Taint>
  readonly unschedulable: boolean
  /** Status of the Ready condition: `True`, `False`, `Unknown`, or empty before the kubelet's first report. */
  readonly ready: string
  /** Allocatable resources in thousandths; empty before the first report. */
  readonly allocatable: ReadonlyMap<string, number>
}

export const nodeOf = oncePer((stored: Stored): Node => {
  const object = read(stored)
  return {
    name: stored.name,
    labels: stored.labels,
    taints: arrayAt(object, "spec", "taints").map((taint) => ({
      key: textAt(taint, "key"),
      value: textAt(taint, "value"),
      effect: textAt(taint, "effect")
    })),
    unschedulable: at(object, "spec", "unschedulable") === true,
    ready: textAt(conditionOf(object, "Ready"), "status"),
    allocatable: amounts(at(object, "status", "allocatable"))
  }
})

/** Returns whether a change of a node affects where pods may run. Heartbeats do not. */
export const matters = ({ after, before }: Change): boolean =>
  before === undefined || after === undefined || !equals(summary(before), summary(after))

const summary = (stored: Stored): Json => {
  const { allocatable, labels, ready, taints, unschedulable } = nodeOf(stored)
  return {
    labels,
    taints: taints.map((taint) => ({ ...taint })),
    unschedulable,
    ready,
    allocatable: Object.fromEntries(allocatable)
  }
}

/** Returns whether a pod's node selector and required node affinity match a node. */
export const selects = (spec: JsonObject, node: Node): boolean => {
  const wanted = Object.entries(textsAt(spec, "nodeSelector"))
  if (!wanted.every(([key, value]) => node.labels[key] === value)) return false
  const required = at(spec, "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution")
  if (required === undefined) return true
  // One matching term suffices. A term without requirements matches nothing.
  return arrayAt(required, "nodeSelectorTerms").some((term) => {
    const labels = LabelSelector.fromObject({ matchExpressions: expressions(term, "matchExpressions") })
    const fields = LabelSelector.fromObject({ matchExpressions: expressions(term, "matchFields") })
    if (labels.length + fields.length === 0) return false
    return LabelSelector.matches(labels, node.labels) && LabelSelector.matches(fields, { "metadata.name": node.name })
  })
}

const expressions = (term: Json, name: string): ReadonlyArray<Json> => arrayAt(term, name)

/** Finds a taint with one of the effects that the tolerations do not cover. */
export const untolerated = (
  tolerations: ReadonlyArray<Json>,
  node: Node,
  effects: ReadonlyArray<string>
): Taint | undefined =>
  node.taints.find((taint) => effects.includes(taint.effect) && !tolerations.some((one) => tolerates(one, taint)))

const tolerates = (toleration: Json, taint: Taint): boolean => {
  const key = textAt(toleration, "key")
  const effect = textAt(toleration, "effect")
  if ((effect !== "" && effect !== taint.effect) || (key !== "" && key !== taint.key)) return false
  const operator = textAt(toleration, "operator") || "Equal"
  if (operator === "Exists") return true
  return operator === "Equal" && key !== "" && textAt(toleration, "value") === taint.value
}

/** Returns the `spec` of a pod. */
export const specOf = (object: JsonObject): JsonObject => objectAt(object, "spec")
