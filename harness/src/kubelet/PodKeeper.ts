/**
 * Takes every pod of a cluster through its script: from bound to running, over, restarted, gone.
 *
 * What to do follows from the pod as the server has it and from the clock, never from what was done before; so a call that
 * was lost is made again, and pods that were there before the kubelet are taken up where they stand.
 *
 * @since 0.1.0
 */
import { Clock, Effect, Result } from "effect"
import type { Addresses } from "./Addresses.ts"
import * as Agenda from "./Agenda.ts"
import * as Binder from "./Binder.ts"
import { type Calls, isLost, type Outcome } from "./Calls.ts"
import { covers } from "./Covers.ts"
import type { Follower } from "./Follow.ts"
import type { NodeKeeper } from "./NodeKeeper.ts"
import { type Defaults, type PodScript, read } from "./PodScript.ts"
import * as PodStatus from "./PodStatus.ts"
import { decodePod, isSidecar, type PodView } from "./PodView.ts"
import * as Timeline from "./Timeline.ts"

export interface PodKeeper {
  readonly follower: Follower
  /** Takes up the pods that waited for this node. */
  readonly nodeCame: (name: string) => void
  /** Makes the calls, for ever. */
  readonly run: Effect.Effect<never>
}

export interface PodKeeperOptions {
  readonly calls: Calls
  readonly addresses: Addresses
  readonly nodes: Pick<NodeKeeper, "address" | "nodes">
  readonly defaults: Defaults
  /** Binds pods that have no node. */
  readonly schedule: boolean
  /** How many calls at once. */
  readonly concurrency: number
}

/** What to do with a pod next, if anything. */
type Step =
  | { readonly _tag: "Report"; readonly status: unknown }
  | { readonly _tag: "Remove" }
  | { readonly _tag: "Bind" }
  | { readonly _tag: "Wait"; readonly untilMs: number }
  | { readonly _tag: "Nothing" }

const NOTHING: Step = { _tag: "Nothing" }
const RETRY_MS = 1_000
/** How often a pod is offered again that no node takes. */
const UNSCHEDULABLE_MS = 1_000

export const make = (options: PodKeeperOptions): PodKeeper => {
  const { addresses, calls, defaults, nodes, schedule } = options
  const agenda = Agenda.make<PodView>()
  const binder = Binder.make()
  /** When each pod was seen first; whole seconds, which is all that a status holds, would blur short delays. */
  const origins = new Map<string, number>()
  /** Addresses of pods whose status does not show them yet. */
  const given = new Map<string, string>()
  const parked = new Map<string, Map<string, PodView>>()
  const known = new Set<string>()

  const scriptOf = (pod: PodView) => read(pod, defaults)

  const stepOf = (pod: PodView, nowMs: number): Step => {
    const { deletionGracePeriodSeconds, deletionTimestamp, uid } = pod.metadata
    const { nodeName } = pod.spec
    if (nodeName === undefined || nodeName === "") {
      return schedule && deletionTimestamp === undefined && (pod.spec.schedulingGates ?? []).length === 0
        ? { _tag: "Bind" }
        : NOTHING
    }
    const script = scriptOf(pod)
    if (deletionTimestamp !== undefined) {
      // Zero seconds means that it was removed already, and only finalizers hold it.
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
    if (Result.isFailure(script)) return report(pod, PodStatus.refused(pod, script.failure.message), NOTHING)

    const originMs = originOf(pod, script.success, nowMs)
    const moment = Timeline.at(script.success, circumstances(pod, originMs), nowMs)
    const placement = { hostIp, podIp: addressOf(pod, hostIp) }
    const status = PodStatus.render({ pod, script: script.success, stage: moment.stage, originMs, placement })
    const next = moment.untilMs === undefined ? NOTHING : waitUntil(moment.untilMs)
    if (next === NOTHING && moment.stage._tag === "Over") origins.delete(uid)
    return report(pod, status, next)
  }

  const report = (pod: PodView, status: unknown, otherwise: Step): Step =>
    covers(pod.status, status) ? otherwise : { _tag: "Report", status }

  const originOf = (pod: PodView, script: PodScript, nowMs: number): number => {
    const { uid } = pod.metadata
    const known = script.startedAtMs ?? origins.get(uid)
    if (known !== undefined) return known
    const startTime = pod.status?.["startTime"]
    const originMs = typeof startTime === "string" ? Date.parse(startTime) : nowMs
    origins.set(uid, originMs)
    return originMs
  }

  const addressOf = (pod: PodView, hostIp: string): string => {
    const { uid } = pod.metadata
    const podIp = pod.status?.["podIP"]
    if (typeof podIp === "string" && podIp !== "") {
      given.delete(uid)
      return podIp
    }
    const address = pod.spec.hostNetwork === true ? hostIp : (given.get(uid) ?? addresses.nextPod())
    given.set(uid, address)
    return address
  }

  const park = (node: string, pod: PodView): void => {
    const waiting = parked.get(node) ?? new Map<string, PodView>()
    waiting.set(pod.metadata.uid, pod)
    parked.set(node, waiting)
  }

  const forget = (uid: string): void => {
    known.delete(uid)
    agenda.drop(uid)
    binder.gone(uid)
    origins.delete(uid)
    given.delete(uid)
    for (const [node, waiting] of parked) {
      if (waiting.delete(uid) && waiting.size === 0) parked.delete(node)
    }
  }

  /** Enters what is to be done now, or when it will be. */
  const plan = (pod: PodView, nowMs: number): void => {
    const { uid } = pod.metadata
    const step = stepOf(pod, nowMs)
    if (step._tag === "Nothing") agenda.drop(uid)
    else agenda.put(uid, step._tag === "Wait" ? step.untilMs : nowMs, pod)
  }

  const act = Effect.fnUntraced(function* (pod: PodView) {
    const nowMs = yield* Clock.currentTimeMillis
    const step = stepOf(pod, nowMs)
    const { uid } = pod.metadata
    switch (step._tag) {
      case "Nothing":
        return
      case "Wait":
        return agenda.put(uid, step.untilMs, pod)
      case "Bind": {
        const node = binder.pick(pod, nodes.nodes())
        if (node === undefined) return agenda.put(uid, nowMs + UNSCHEDULABLE_MS, pod)
        binder.bound(uid, node)
        return yield* settle(pod, nowMs, yield* calls.bind(pod, node))
      }
      case "Remove":
        return yield* settle(pod, nowMs, yield* calls.removePod(pod))
      case "Report":
        return yield* settle(pod, nowMs, yield* calls.podStatus(pod, step.status))
    }
  })

  /** A success shows in the watch. */
  const settle = Effect.fnUntraced(function* (pod: PodView, nowMs: number, outcome: Outcome) {
    const { name, namespace, uid } = pod.metadata
    if (outcome._tag === "Done" || !isLost(outcome)) return
    const why = outcome._tag === "Refused" ? `${outcome.code} ${outcome.text}` : outcome.error.message
    yield* Effect.logDebug(`pod ${namespace}/${name} is reported again: ${why}`)
    agenda.put(uid, nowMs + RETRY_MS, pod)
  })

  return {
    follower: {
      put: Effect.fnUntraced(function* (object) {
        const decoded = decodePod(object)
        if (Result.isFailure(decoded)) {
          return yield* Effect.logWarning(`a pod cannot be read: ${decoded.failure.message}`)
        }
        const pod = decoded.success
        const { nodeName } = pod.spec
        known.add(pod.metadata.uid)
        if (schedule && nodeName !== undefined) binder.bound(pod.metadata.uid, nodeName)
        const podIp = pod.status?.["podIP"]
        if (typeof podIp === "string") addresses.seen(podIp)
        plan(pod, yield* Clock.currentTimeMillis)
      }),
      remove: (uid) => Effect.sync(() => forget(uid)),
      retain: (present) =>
        Effect.sync(() => {
          for (const uid of [...known]) if (!present.has(uid)) forget(uid)
        })
    },
    nodeCame: (name) => {
      const waiting = parked.get(name)
      parked.delete(name)
      for (const [uid, pod] of waiting ?? []) agenda.put(uid, 0, pod)
    },
    run: agenda.run(act, options.concurrency)
  }
}

const waitUntil = (untilMs: number): Step => ({ _tag: "Wait", untilMs })

const circumstances = (pod: PodView, originMs: number): Timeline.Circumstances => ({
  originMs,
  inits: (pod.spec.initContainers ?? []).filter((init) => !isSidecar(init)).length,
  restartPolicy: pod.spec.restartPolicy ?? "Always"
})
