/**
 * Takes every pod of a cluster through its script: from bound to running, over, restarted, gone.
 *
 * What to do follows from the pod as the server has it and from the clock, never from what was done before; so a call that
 * was lost is made again, and pods that were there before the kubelet are taken up where they stand.
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
  /** Takes up the pods that waited for this node. */
  readonly nodeCame: (name: string) => void
  /** Makes the calls, for ever. */
  readonly run: Effect.Effect<never>
}

export interface PodKeeperOptions extends PodSteps.PodStepsOptions {
  readonly calls: Calls
  readonly nodes: Pick<NodeKeeper, "address" | "nodes">
  /** How many calls at once. */
  readonly concurrency: number
}

const RETRY_MS = 1_000
/** How often a pod is offered again that no node takes. */
const UNSCHEDULABLE_MS = 1_000

/** Pods that wait for the node that they are bound to. */
class Parked {
  readonly #byNode = new Map<string, Map<string, PodView>>()

  put(node: string, pod: PodView): void {
    const waiting = this.#byNode.get(node) ?? new Map<string, PodView>()
    waiting.set(pod.metadata.uid, pod)
    this.#byNode.set(node, waiting)
  }

  /** Gives those of a node, which wait no more. */
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

/** What is done to which pod and when, and the nodes that pods are on. */
interface Keeper extends PodKeeperOptions {
  readonly agenda: Agenda.Agenda<PodView>
  readonly binder: Binder.Binder
  readonly parked: Parked
  readonly known: Set<string>
  readonly steps: PodSteps.PodSteps
}

export const make = (options: PodKeeperOptions): PodKeeper => {
  const parked = new Parked()
  const keeper: Keeper = {
    ...options,
    agenda: Agenda.make<PodView>(),
    binder: Binder.make(),
    parked,
    known: new Set(),
    steps: PodSteps.make(options, (node, pod) => parked.put(node, pod))
  }
  return {
    follower: {
      put: (object) => take(keeper, object),
      remove: (uid) => Effect.sync(() => forget(keeper, uid)),
      retain: (present) =>
        Effect.sync(() => {
          for (const uid of [...keeper.known]) if (!present.has(uid)) forget(keeper, uid)
        })
    },
    nodeCame: (name) => {
      for (const pod of parked.take(name)) keeper.agenda.put(pod.metadata.uid, 0, pod)
    },
    run: keeper.agenda.run((pod) => act(keeper, pod), options.concurrency)
  }
}

/** Takes a pod as the server has it now. */
const take = Effect.fnUntraced(function* (keeper: Keeper, object: Parameters<Follower["put"]>[0]) {
  const { addresses, binder, known, schedule } = keeper
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
  plan(keeper, pod, yield* Clock.currentTimeMillis)
})

const forget = ({ agenda, binder, known, parked, steps }: Keeper, uid: string): void => {
  known.delete(uid)
  agenda.drop(uid)
  binder.gone(uid)
  steps.forget(uid)
  parked.forget(uid)
}

/** Enters what is to be done now, or when it will be. */
const plan = ({ agenda, steps }: Keeper, pod: PodView, nowMs: number): void => {
  const { uid } = pod.metadata
  const step = steps.next(pod, nowMs)
  if (step._tag === "Nothing") agenda.drop(uid)
  else agenda.put(uid, step._tag === "Wait" ? step.untilMs : nowMs, pod)
}

/** Does what is to be done to a pod now. */
const act = Effect.fnUntraced(function* (keeper: Keeper, pod: PodView) {
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
      return yield* settle(keeper, pod, nowMs, yield* calls.bind(pod, node))
    }
    case "Remove":
      return yield* settle(keeper, pod, nowMs, yield* calls.removePod(pod))
    case "Report":
      return yield* settle(keeper, pod, nowMs, yield* calls.podStatus(pod, step.status))
  }
})

/** Makes a lost call again later; a success shows in the watch. */
const settle = Effect.fnUntraced(function* ({ agenda }: Keeper, pod: PodView, nowMs: number, outcome: Outcome) {
  const { name, namespace, uid } = pod.metadata
  if (outcome._tag === "Done" || !isLost(outcome)) return
  const why = outcome._tag === "Refused" ? `${outcome.code} ${outcome.text}` : outcome.error.message
  yield* Effect.logDebug(`pod ${namespace}/${name} is reported again: ${why}`)
  agenda.put(uid, nowMs + RETRY_MS, pod)
})
