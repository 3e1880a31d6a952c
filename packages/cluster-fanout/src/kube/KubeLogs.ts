/**
 * Opens the logs of containers, which an API server fetches from the kubelet of their node.
 */
import { Context, Effect, Layer, type Scope } from "effect"
import type { Cluster } from "../registry/Cluster.ts"
import type { ClusterError } from "./ClusterError.ts"
import { type OpenAnswer, Transport, type TransportRequest } from "./Transport.ts"

/** Selects a log and the part to read. **Source** Kubernetes, `PodLogOptions`. */
export interface LogRequest {
  readonly namespace: string
  readonly pod: string
  readonly container: string
  readonly isPrevious: boolean
  readonly hasTimestamps: boolean
  readonly sinceSeconds?: number
  readonly tailLines: number
  /** Also return what the container writes from now on. */
  readonly isFollowed: boolean
}

/**
 * A log that was opened or refused.
 *
 * **Shape** `Refused`: there is no such log, the container has not started, or the server cannot fetch the log from the
 * node. `problem` is the server's message.
 */
export type OpenedLog =
  | { readonly _tag: "Open"; readonly read: OpenAnswer["read"] }
  | { readonly _tag: "Refused"; readonly problem: string }

/** Statuses that count as a refusal. Those from 500 on count only if the API server itself reports them. */
const REFUSALS = [400, 404, 500, 502, 504]

export class KubeLogs extends Context.Service<
  KubeLogs,
  {
    /**
     * Opens a log until the scope ends.
     *
     * **Limits** occupies one of the cluster's connections for logs, which watches and calls do not use, and waits for
     * a free one. If too many callers wait, fails with `ClusterThrottled`. Followed logs have connections of their own
     * and never wait. A server may answer a followed log only when the container writes something.
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

  /** Requires file access for credential files, and processes for credential plugins. */
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
