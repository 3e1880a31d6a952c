/**
 * What a request is answered.
 */
import type { AggregatedApi } from "../core/AggregatedApis.ts"
import type { ApiRequest } from "../core/ApiRequest.ts"
import type { Beside, TextReply } from "../core/TextReply.ts"
import type { Renderer } from "../forms/Representation.ts"
import type { WatchQuery } from "../reads/Query.ts"
import type { LogReply } from "../writes/PodLogs.ts"

/**
 * The answer to a request, whole or in parts.
 *
 * **Shape** `Pieces` is written piece by piece, `Watch` goes on until its time is up, `Log` until its pod is, `Forward`
 * is another server's to answer.
 */
export type Reply = TextReply | ((Stream | LogReply) & Beside)

type Stream =
  | { readonly _tag: "Pieces"; readonly status: number; readonly pieces: Iterable<string> }
  | { readonly _tag: "Forward"; readonly api: AggregatedApi; readonly request: ApiRequest }
  | { readonly _tag: "Watch"; readonly renderer: Renderer; readonly namespace: string; readonly query: WatchQuery }
