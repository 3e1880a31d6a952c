/**
 * Reads the object of one workload live from its cluster.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Effect, Option } from "effect"
import type { KubeApi } from "../kube/KubeApi.ts"
import type { KubeObject } from "../kube/KubeObject.ts"
import type { FanOut } from "../list/FanOut.ts"
import * as Interner from "../projection/Interner.ts"
import * as Kind from "../projection/Kind.ts"
import * as Owner from "../projection/Owner.ts"
import type { Cluster } from "../registry/Cluster.ts"
import { WorkloadNotFound } from "./ActionError.ts"

/** Identifies the workload. **Units** `timeoutMs` for the answer. */
export interface FindQuery {
  readonly cluster: ClusterName
  readonly namespace: string
  readonly kind: Kind.WorkloadKind
  readonly name: string
  readonly timeoutMs: number
}

/**
 * Makes the function that finds a workload.
 *
 * **Errors** `FanOutFailed` if the cluster does not answer; `WorkloadNotFound` if there is no such object or it belongs
 * to another workload, as the ReplicaSets of a Deployment do.
 *
 * **Limits** one read, through the cluster's breaker.
 */
export const make = (fanOut: FanOut["Service"], api: KubeApi["Service"]) =>
  Effect.fnUntraced(function* ({ cluster: name, kind, timeoutMs, ...place }: FindQuery) {
    const scope = { resource: Kind.resources[kind], namespace: place.namespace }
    const find = (cluster: Cluster) =>
      Effect.map(api.find(cluster, scope, place.name), (object) => ({
        value: { cluster, object: Option.filter(object, (found) => isWorkload(kind, found)) },
        count: Option.isSome(object) ? 1 : 0,
        ageMs: 0,
        isStale: false,
        missingKinds: []
      }))
    const [reply] = yield* fanOut.ask([name], { source: "live", timeoutMs }, find)
    // The fan-out has one cluster and fails if that cluster fails, so the reply has a value.
    if (reply?.value === undefined) return yield* Effect.die(new Error("an answer without a value"))
    const { cluster, object } = reply.value
    if (Option.isNone(object)) {
      return yield* new WorkloadNotFound({ cluster: name, namespace: place.namespace, kind, name: place.name })
    }
    return { cluster, object: object.value, coverage: reply.coverage }
  })

/** Returns whether an object is a workload, rather than a part of another workload. */
const isWorkload = (kind: Kind.WorkloadKind, { metadata }: KubeObject): boolean =>
  !Kind.isLink(kind) || Owner.controllerOf(metadata, Interner.make()) === undefined
