/**
 * Opens the logs of containers, which an API server fetches from the kubelet of their node.
 */
import { Context, Effect, Layer, type Scope } from "effect"
import type { Cluster } from "../registry/Cluster.ts"
import type { ClusterError } from "./ClusterError.ts"
import { type OpenAnswer, Transport, type TransportRequest } from "./Transport.ts"

/** Which log, and which part of it. **Source** Kubernetes, `PodLogOptions`. */
export interface LogRequest {
  readonly namespace: string
  readonly pod: string
  readonly container: string
  readonly isPrevious: boolean
  readonly hasTimestamps: boolean
  readonly sinceSeconds?: number
  readonly tailLines: number
  /** Whether it goes on with what the container writes from now on. */
  readonly isFollowed: boolean
}

/**
 * A log that was opened or refused.
 *
 * **Shape** `Refused`: the server has no such log, none yet, or cannot fetch it from the node; it says so in its own
 * words.
 */
export type OpenedLog =
  | { readonly _tag: "Open"; readonly read: OpenAnswer["read"] }
  | { readonly _tag: "Refused"; readonly problem: string }

/** From 500 on they are of the node, of which the server tells: the server itself has answered. */
const REFUSALS = [400, 404, 500, 502, 504]

export class KubeLogs extends Context.Service<
  KubeLogs,
  {
    /**
     * Opens a log, for as long as the scope.
     *
     * **Limits** holds one of the cluster's connections for logs, which watches and calls do not share, as long as it is
     * open, and waits for one while all are held; beyond those who may wait `ClusterThrottled`. Those that are followed have
     * others, and nobody waits for them. A server may answer one that is followed only when there is something to tell.
     */
    readonly open: (cluster: Cluster, request: LogRequest) => Effect.Effect<OpenedLog, ClusterError, Scope.Scope>
  }
>()("@quarterdeck/cluster-fanout/KubeLogs") {
  static readonly layerNoDeps = Layer.effect(
    KubeLogs,
    Effect.gen(function* () {
      const transport = yield* Transport
      const open = Effect.fn("KubeLogs.open")(function* (cluster: Cluster, request: LogRequest) {
        return yield* transport.open(cluster, requestOf(request), request.isFollowed ? "follow" : "log").pipe(
          Effect.map(({ read }): OpenedLog => ({ _tag: "Open", read })),
          Effect.catchReason("ClusterError", "ClusterRefused", ({ problem }) =>
            Effect.succeed<OpenedLog>({ _tag: "Refused", problem })
          )
        )
      })
      return KubeLogs.of({ open })
    })
  )

  /** Needs files for what clusters keep in them, and processes for credential plugins. */
  static readonly layer = KubeLogs.layerNoDeps.pipe(Layer.provide(Transport.layer))
}

const requestOf = (request: LogRequest): TransportRequest => ({
  method: "GET",
  path: pathOf(request),
  accept: "*/*",
  action: { verb: "get", resource: "pods/log" },
  refusals: REFUSALS
})

const pathOf = (request: LogRequest) => {
  const { container, hasTimestamps, isFollowed, isPrevious, namespace, pod, sinceSeconds, tailLines } = request
  const query = new URLSearchParams({ container, tailLines: String(tailLines) })
  if (isFollowed) query.set("follow", "true")
  if (isPrevious) query.set("previous", "true")
  if (hasTimestamps) query.set("timestamps", "true")
  if (sinceSeconds !== undefined) query.set("sinceSeconds", String(sinceSeconds))
  return `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(pod)}/log?${query.toString()}`
}
