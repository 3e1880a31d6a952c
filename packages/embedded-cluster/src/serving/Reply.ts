/**
 * Replies to requests.
 */
import type { AggregatedApi } from "../core/AggregatedApis.ts"
import type { ApiRequest } from "../core/ApiRequest.ts"
import type { Beside, TextReply } from "../core/TextReply.ts"
import type { Renderer } from "../forms/Representation.ts"
import type { WatchQuery } from "../reads/Query.ts"
import type { LogReply } from "../writes/PodLogs.ts"

/**
 * A reply, whole or as a stream.
 *
 * **Shape** `Pieces` is written piece by piece. `Watch` continues until its timeout, `Log` until its pod finishes.
 * `Forward` is answered by another server.
 */
export type Reply = TextReply | ((Stream | LogReply) & Beside)

type Stream =
  | { readonly _tag: "Pieces"; readonly status: number; readonly pieces: Iterable<string> }
  | { readonly _tag: "Forward"; readonly api: AggregatedApi; readonly request: ApiRequest }
  | { readonly _tag: "Watch"; readonly renderer: Renderer; readonly namespace: string; readonly query: WatchQuery }
