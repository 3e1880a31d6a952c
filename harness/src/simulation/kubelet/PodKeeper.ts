/**
 * Moves every pod of a cluster through its script: bound, running, completed or restarted, removed.
 *
 * Each step depends only on the pod's present state and the clock. A lost call is repeated, and pods that are older
 * than the kubelet continue from their present state.
 */
import { Clock, Effect, Result } from "effect"
import * as Agenda from "./Agenda.ts"
import * as Binder from "./Binder.ts"
import { type Calls, isLost, type Outcome } from "./Calls.ts"
import type { Follower } from "./Follow.ts"
import type { NodeKeeper } from "./NodeKeeper.ts"
import * as PodSteps from "./PodSteps.ts"
import { decodePod, type PodView } from "./PodView.ts"

export interface PodKeeper {
  readonly follower: Follower
  /** Continues the pods that waited for this node. */
  readonly nodeCame: (name: string) => void
  /** Makes the calls. Never ends. */
  readonly run: Effect.Effect<never>
}

export interface PodKeeperOptions extends PodSteps.PodStepsOptions {
  readonly calls: Calls
  readonly nodes: Pick<NodeKeeper, "address" | "nodes">
  /** Maximum number of parallel calls. */
  readonly concurrency: number
}

const RETRY_MS = 1_000
/** Interval for retrying to bind a pod that fits no node. */
const UNSCHEDULABLE_MS = 1_000

/** Pods that are bound to a node that does not exist yet. */
class WaitingPods {
  readonly #byNode = new Map<string, Map<string, PodView>>()

  put(node: string, pod: PodView): void {
    const waiting = this.#byNode.get(node) ?? new Map<string, PodView>()
    waiting.set(pod.metadata.uid, pod)
    this.#byNode.set(node, waiting)
  }

  /** Returns and removes the pods of a node. */
  take(node: string): ReadonlyArray<PodView> {
    const waiting = [...(this.#byNode.get(node)?.values() ?? [])]
    this.#byNode.delete(node)
    return waiting
  }

  forget(uid: string): void {
    for (const [node, waiting] of this.#byNode) {
      if (waiting.delete(uid) && waiting.size === 0) this.#byNode.delete(node)
    }
  }
}

/** State of the pod keeper: scheduled work, and pods by node. */
interface Keeper extends PodKeeperOptions {
  readonly agenda: Agenda.Agenda<PodView>
  readonly binder: Binder.Binder
  readonly waitingPods: WaitingPods
  readonly known: Set<string>
  readonly steps: PodSteps.PodSteps
}

export const make = (options: PodKeeperOptions): PodKeeper => {
  const waitingPods = new WaitingPods()
  const keeper: Keeper = {
    ...options,
    agenda: Agenda.make<PodView>(),
    binder: Binder.make(),
    waitingPods,
    known: new Set(),
    steps: PodSteps.make(options, (node, pod) => waitingPods.put(node, pod))
  }
  return {
    follower: {
      put: (object) => observe(keeper, object),
      remove: (uid) => Effect.sync(() => forget(keeper, uid)),
      retain: (present) =>
        Effect.sync(() => {
          for (const uid of [...keeper.known]) if (!present.has(uid)) forget(keeper, uid)
        })
    },
    nodeCame: (name) => {
      for (const pod of waitingPods.take(name)) keeper.agenda.put(pod.metadata.uid, 0, pod)
    },
    run: keeper.agenda.run((pod) => perform(keeper, pod), options.concurrency)
  }
}

/** Records a pod in its present state and schedules its next step. */
const observe = Effect.fnUntraced(function* (keeper: Keeper, object: Parameters<Follower["put"]>[0]) {
  const { addresses, binder, known, schedule } = keeper
  const decoded = decodePod(object)
  if (Result.isFailure(decoded)) {
    return yield* Effect.logWarning(`cannot decode a pod: ${decoded.failure.message}`)
  }
  const pod = decoded.success
  const { nodeName } = pod.spec
  known.add(pod.metadata.uid)
  if (schedule && nodeName !== undefined) binder.bound(pod.metadata.uid, nodeName)
  const podIp = pod.status?.["podIP"]
  if (typeof podIp === "string") addresses.reserve(podIp)
  plan(keeper, pod, yield* Clock.currentTimeMillis)
})

const forget = ({ agenda, binder, known, waitingPods, steps }: Keeper, uid: string): void => {
  known.delete(uid)
  agenda.drop(uid)
  binder.gone(uid)
  steps.forget(uid)
  waitingPods.forget(uid)
}

/** Schedules the pod's next step. */
const plan = ({ agenda, steps }: Keeper, pod: PodView, nowMs: number): void => {
  const { uid } = pod.metadata
  const step = steps.next(pod, nowMs)
  if (step._tag === "Nothing") agenda.drop(uid)
  else agenda.put(uid, step._tag === "Wait" ? step.untilMs : nowMs, pod)
}

/** Performs the pod's next step. */
const perform = Effect.fnUntraced(function* (keeper: Keeper, pod: PodView) {
  const { agenda, binder, calls, nodes, steps } = keeper
  const nowMs = yield* Clock.currentTimeMillis
  const step = steps.next(pod, nowMs)
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
      return yield* retryIfLost(keeper, pod, nowMs, yield* calls.bind(pod, node))
    }
    case "Remove":
      return yield* retryIfLost(keeper, pod, nowMs, yield* calls.removePod(pod))
    case "Report":
      return yield* retryIfLost(keeper, pod, nowMs, yield* calls.podStatus(pod, step.status))
  }
})

/** Schedules a retry of a lost call. The watch reports the result of a successful call. */
const retryIfLost = Effect.fnUntraced(function* ({ agenda }: Keeper, pod: PodView, nowMs: number, outcome: Outcome) {
  const { name, namespace, uid } = pod.metadata
  if (outcome._tag === "Done" || !isLost(outcome)) return
  const why = outcome._tag === "Refused" ? `${outcome.code} ${outcome.text}` : outcome.error.message
  yield* Effect.logDebug(`pod ${namespace}/${name} will be reported again: ${why}`)
  agenda.put(uid, nowMs + RETRY_MS, pod)
})
