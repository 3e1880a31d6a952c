/** Decides a kubelet's next step for a pod, from the pod's present state and the clock. */
import { Result } from "effect"
import type { Addresses } from "./Addresses.ts"
import { covers } from "./StatusContainment.ts"
import type { NodeKeeper } from "./NodeKeeper.ts"
import { type Defaults, type PodScript, read } from "./PodScript.ts"
import * as PodStatus from "./PodStatus.ts"
import { isSidecar, type PodView } from "./PodView.ts"
import * as Timeline from "./Timeline.ts"

/** The next step for a pod. */
export type Step =
  | { readonly _tag: "Report"; readonly status: unknown }
  | { readonly _tag: "Remove" }
  | { readonly _tag: "Bind" }
  | { readonly _tag: "Wait"; readonly untilMs: number }
  | { readonly _tag: "Nothing" }

const NOTHING: Step = { _tag: "Nothing" }
export interface PodStepsOptions {
  readonly addresses: Addresses
  readonly nodes: Pick<NodeKeeper, "address">
  readonly defaults: Defaults
  /** Binds pods without a node. */
  readonly schedule: boolean
  /** Pods start at their creation instead of when they are first seen. */
  readonly startAtCreation: boolean
}

export interface PodSteps {
  readonly next: (pod: PodView, nowMs: number) => Step
  /** Forgets a deleted pod. */
  readonly forget: (uid: string) => void
}

/**
 * Creates the step planner. It remembers values that the status of a pod does not have yet. `park` is called with pods
 * whose node does not exist yet.
 */
export const make = (
  { addresses, defaults, nodes, schedule, startAtCreation }: PodStepsOptions,
  park: (node: string, pod: PodView) => void
): PodSteps => {
  /** Time at which each pod was first seen. The whole seconds of a status are too coarse for short delays. */
  const origins = new Map<string, number>()
  /** Addresses of pods whose status does not have them yet. */
  const assigned = new Map<string, string>()

  const next = (pod: PodView, nowMs: number): Step => {
    const { deletionGracePeriodSeconds, deletionTimestamp, uid } = pod.metadata
    const { nodeName } = pod.spec
    if (nodeName === undefined || nodeName === "") {
      return schedule && deletionTimestamp === undefined && (pod.spec.schedulingGates ?? []).length === 0
        ? { _tag: "Bind" }
        : NOTHING
    }
    const script = read(pod, defaults)
    if (deletionTimestamp !== undefined) {
      // A grace period of zero means that the pod has ended and only finalizers keep it.
      if (deletionGracePeriodSeconds === 0) return NOTHING
      const graceMs = (deletionGracePeriodSeconds ?? 0) * 1_000
      const delayMs = Result.isSuccess(script) ? script.success.deleteDelayMs : 0
      const dueMs = Date.parse(deletionTimestamp) - graceMs + delayMs
      return delayMs === 0 || dueMs <= nowMs ? { _tag: "Remove" } : waitUntil(dueMs)
    }
    const phase = pod.status?.["phase"]
    if (phase === "Succeeded" || phase === "Failed") return NOTHING
    const hostIp = nodes.address(nodeName)
    if (hostIp === undefined) {
      park(nodeName, pod)
      return NOTHING
    }
    if (Result.isFailure(script)) return report(pod, PodStatus.invalid(pod, script.failure.message), NOTHING)

    const originMs = originOf(pod, script.success, nowMs)
    const moment = Timeline.at(script.success, circumstances(pod, originMs), nowMs)
    const placement = { hostIp, podIp: addressOf(pod, hostIp) }
    const status = PodStatus.render({ pod, script: script.success, stage: moment.stage, originMs, placement })
    const next = moment.untilMs === undefined ? NOTHING : waitUntil(moment.untilMs)
    if (next === NOTHING && moment.stage._tag === "Over") origins.delete(uid)
    return report(pod, status, next)
  }

  const originOf = (pod: PodView, script: PodScript, nowMs: number): number => {
    const { uid } = pod.metadata
    const known = script.startedAtMs ?? origins.get(uid)
    if (known !== undefined) return known
    const startTime = pod.status?.["startTime"]
    const { creationTimestamp } = pod.metadata
    const seenMs = startAtCreation && creationTimestamp !== undefined ? Date.parse(creationTimestamp) : nowMs
    const originMs = typeof startTime === "string" ? Date.parse(startTime) : seenMs
    origins.set(uid, originMs)
    return originMs
  }

  const addressOf = (pod: PodView, hostIp: string): string => {
    const { uid } = pod.metadata
    const podIp = pod.status?.["podIP"]
    if (typeof podIp === "string" && podIp !== "") {
      assigned.delete(uid)
      return podIp
    }
    const address = pod.spec.hostNetwork === true ? hostIp : (assigned.get(uid) ?? addresses.nextPod())
    assigned.set(uid, address)
    return address
  }
  return {
    next,
    forget: (uid) => {
      origins.delete(uid)
      assigned.delete(uid)
    }
  }
}

const report = (pod: PodView, status: unknown, otherwise: Step): Step =>
  covers(pod.status, status) ? otherwise : { _tag: "Report", status }

const waitUntil = (untilMs: number): Step => ({ _tag: "Wait", untilMs })

const circumstances = (pod: PodView, originMs: number): Timeline.Circumstances => ({
  originMs,
  inits: (pod.spec.initContainers ?? []).filter((init) => !isSidecar(init)).length,
  restartPolicy: pod.spec.restartPolicy ?? "Always"
})
