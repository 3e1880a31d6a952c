/**
 * Replies with a list, and tells who has it already that nothing changed.
 *
 * The tag is of rows and statuses: ages and latencies differ from one reply to the next and change nothing.
 */
import type { Coverage } from "@quarterdeck/cluster-fanout/Coverage"
import type { ClusterList } from "@quarterdeck/contract/ClustersGroup"
import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import * as EntityTag from "./EntityTag.ts"
import * as RequestRecord from "./RequestRecord.ts"
import { type RowTexts, Texts } from "./RowTexts.ts"

/** What follows the rows of a merged list. */
interface Envelope {
  readonly clusters: ReadonlyArray<Coverage>
  readonly partial: boolean
  readonly nextCursor?: string
}

type Rows<Name extends string> = Envelope & { readonly [K in Name]: ReadonlyArray<object> }

/**
 * Replies with a merged list.
 *
 * **Shape** rows are plain values of the contract's type: they are written as they are, without a walk by the schema, and
 * once for both the reply and its tag.
 */
export const ofRows = Effect.fnUntraced(function* <Name extends string>(name: Name, list: Rows<Name>) {
  return yield* reply(made(name, list, yield* Texts))
})

/** Makes the whole reply of a merged list, with its tag. */
export const made = <Name extends string>(
  name: Name,
  list: Rows<Name>,
  texts: RowTexts
): HttpServerResponse.HttpServerResponse => {
  const { clusters, nextCursor, partial } = list
  const rows = `[${list[name].map((row) => texts.of(row)).join(",")}]`
  const envelope = JSON.stringify({ clusters, partial, ...(nextCursor === undefined ? {} : { nextCursor }) })
  // A cursor serves one key and one target: who has another one must not keep it.
  const rest = JSON.stringify([clusters.map(withoutTimes), partial, nextCursor])
  const head = `{${JSON.stringify(name)}:`
  // A long text is turned into bytes once, for the tag, the length and the socket.
  const bytes = Buffer.from(`${head}${rows},${envelope.slice(1)}`)
  const ofTheRows = bytes.subarray(Buffer.byteLength(head), bytes.length - Buffer.byteLength(envelope))
  return tagged(
    HttpServerResponse.uint8Array(bytes, { contentType: JSON_TYPE }),
    EntityTag.weakOfParts([ofTheRows, rest])
  )
}

/** Replies with the list of clusters, whose rows hold their own coverage. */
export const ofClusters = (list: ClusterList) => {
  const rows = list.clusters.map(({ coverage, lastSeen: _seen, ...row }) => [row, withoutTimes(coverage)])
  return reply(
    tagged(
      HttpServerResponse.text(JSON.stringify(list), { contentType: JSON_TYPE }),
      EntityTag.weak(JSON.stringify([rows, list.partial, list.nextCursor]))
    )
  )
}

const JSON_TYPE = "application/json"

const withoutTimes = ({ ageMs: _age, latencyMs: _latency, ...coverage }: Coverage) => coverage

const tagged = (made: HttpServerResponse.HttpServerResponse, etag: string) =>
  HttpServerResponse.setHeader(made, "etag", etag)

const reply = Effect.fnUntraced(function* (list: HttpServerResponse.HttpServerResponse) {
  const { headers } = yield* HttpServerRequest.HttpServerRequest
  const { etag = "" } = list.headers
  yield* RequestRecord.note({ list })
  return EntityTag.isKnown(headers["if-none-match"], etag)
    ? HttpServerResponse.empty({ status: 304, headers: { etag } })
    : list
})
