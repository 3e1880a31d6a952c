/**
 * Opens the logs of containers, which an API server fetches from the kubelet of their node.
 */
import { Context, Effect, Layer, Option, type Scope } from "effect"
import type { Cluster } from "../registry/Cluster.ts"
import { decodeStatusText } from "./AnswerProblem.ts"
import type { ClusterError } from "./ClusterError.ts"
import { mask } from "./Masking.ts"
import { type OpenAnswer, Transport } from "./Transport.ts"

/** Which log, and which part of it. **Source** Kubernetes, `PodLogOptions`. */
export interface LogRequest {
  readonly namespace: string
  readonly pod: string
  readonly container: string
  readonly isPrevious: boolean
  readonly hasTimestamps: boolean
  readonly sinceSeconds?: number
  readonly tailLines: number
}

/** **Shape** `Refused`: the server has no such log, or none yet. */
export type OpenedLog =
  | { readonly _tag: "Open"; readonly read: OpenAnswer["read"] }
  | { readonly _tag: "Refused"; readonly problem: string }

const REFUSALS = [400, 404]
const REFUSAL_SILENCE_MS = 5_000
const MAX_PROBLEM = 256
const MAX_REFUSAL_BYTES = 64 * 1024

export class KubeLogs extends Context.Service<
  KubeLogs,
  {
    /**
     * Opens a log, for as long as the scope.
     *
     * **Limits** takes a connection of the cluster's watches, as long as it is open.
     */
    readonly open: (cluster: Cluster, request: LogRequest) => Effect.Effect<OpenedLog, ClusterError, Scope.Scope>
  }
>()("@quarterdeck/cluster-fanout/KubeLogs") {
  static readonly layerNoDeps = Layer.effect(
    KubeLogs,
    Effect.gen(function* () {
      const transport = yield* Transport
      const open = Effect.fn("KubeLogs.open")(function* (cluster: Cluster, request: LogRequest) {
        const { read, status } = yield* transport.open(cluster, {
          method: "GET",
          path: pathOf(request),
          accept: "*/*",
          action: { verb: "get", resource: "pods/log" },
          allow: REFUSALS
        })
        const opened: OpenedLog = REFUSALS.includes(status)
          ? { _tag: "Refused", problem: yield* problemOf(read) }
          : { _tag: "Open", read }
        return opened
      })
      return KubeLogs.of({ open })
    })
  )

  /** Needs files for what clusters keep in them, and processes for credential plugins. */
  static readonly layer = KubeLogs.layerNoDeps.pipe(Layer.provide(Transport.layer))
}

const pathOf = ({ container, hasTimestamps, isPrevious, namespace, pod, sinceSeconds, tailLines }: LogRequest) => {
  const query = new URLSearchParams({ container, tailLines: String(tailLines) })
  if (isPrevious) query.set("previous", "true")
  if (hasTimestamps) query.set("timestamps", "true")
  if (sinceSeconds !== undefined) query.set("sinceSeconds", String(sinceSeconds))
  return `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(pod)}/log?${query.toString()}`
}

/** What the server says of it, short and without what looks like a secret. */
const problemOf = Effect.fnUntraced(function* (read: OpenAnswer["read"]) {
  const pieces: Array<Buffer> = []
  let bytes = 0
  while (bytes <= MAX_REFUSAL_BYTES) {
    const piece = yield* read(REFUSAL_SILENCE_MS)
    if (Option.isNone(piece)) break
    pieces.push(piece.value)
    bytes += piece.value.length
  }
  const told = Option.getOrUndefined(decodeStatusText(Buffer.concat(pieces).toString()))?.message
  return mask(told ?? "the server has no such log", { secrets: [], limit: MAX_PROBLEM })
})
