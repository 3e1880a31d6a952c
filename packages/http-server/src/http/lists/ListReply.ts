/**
 * Replies with a list, or with 304 to a client that already has it.
 *
 * The entity tag covers rows and statuses, but not ages and latencies, which differ in every reply.
 */
import type { Coverage } from "@quarterdeck/cluster-fanout/Coverage"
import type * as Clusters from "@quarterdeck/cluster-fanout/Clusters"
import type { StatusCounts } from "@quarterdeck/cluster-fanout/Row"
import * as RowLimit from "@quarterdeck/cluster-fanout/RowLimit"
import type { ClusterList } from "@quarterdeck/contract/ClustersGroup"
import type { Overview } from "@quarterdeck/contract/OverviewGroup"
import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import * as EntityTag from "../request/EntityTag.ts"
import * as RequestRecord from "../request/RequestRecord.ts"
import { type RowTexts, Texts } from "./RowTexts.ts"

/** Members of a merged list in addition to its rows. */
interface Envelope {
  readonly clusters: ReadonlyArray<Coverage>
  readonly partial: boolean
  readonly nextCursor?: string
  readonly statusCounts?: StatusCounts
  readonly cursorAfter: (count: number) => string | undefined
}

type Rows<Name extends string> = Envelope & { readonly [K in Name]: ReadonlyArray<object> }

/** Largest page. A larger page is cut to fewer rows. **Units** bytes of the body. */
export const PAGE_BYTES = 4 * 2 ** 20

/**
 * Replies with a merged list.
 *
 * **Shape** rows already have the contract's type, so they are not encoded by the schema. Their text is made once, for both
 * the reply and its entity tag.
 */
export const ofRows = Effect.fnUntraced(function* <Name extends string>(name: Name, list: Rows<Name>) {
  return yield* reply(made(name, list, yield* Texts))
})

/** Makes the reply of a merged list, with its entity tag. **Limits** {@link PAGE_BYTES}, or a single longer row. */
export const made = <Name extends string>(
  name: Name,
  list: Rows<Name>,
  texts: RowTexts
): HttpServerResponse.HttpServerResponse => {
  const rows: Array<string> = []
  let characters = 0
  for (const row of list[name]) {
    const text = texts.of(row)
    rows.push(text)
    characters += text.length
    // A character is at least one byte.
    if (characters > PAGE_BYTES) break
  }
  const whole = pageOf(name, rows, list, list.nextCursor)
  if (rows.length === list[name].length && whole.bytes.length <= PAGE_BYTES) return whole.response
  const count = fitting(rows, PAGE_BYTES - (whole.bytes.length - whole.rowBytes))
  // The page is a single row that is longer than a page, and cannot be cut.
  if (count === list[name].length) return whole.response
  return pageOf(name, rows.slice(0, count), list, list.cursorAfter(count)).response
}

/** Maximum size of the cursor that is added to a page that is cut. **Units** bytes. */
const CURSOR_BYTES = 4_096 + 20

/** Returns how many rows fit into `bytes`, at least one. */
const fitting = (rows: ReadonlyArray<string>, bytes: number): number => {
  let left = bytes - CURSOR_BYTES
  const count = rows.findIndex((text) => {
    left -= Buffer.byteLength(text) + 1
    return left < 0
  })
  return count === -1 ? rows.length : Math.max(1, count)
}

const pageOf = (
  name: string,
  texts: ReadonlyArray<string>,
  { clusters, partial, statusCounts }: Envelope,
  nextCursor: string | undefined
) => {
  const rows = `[${texts.join(",")}]`
  const envelope = JSON.stringify({
    clusters,
    partial,
    ...(nextCursor === undefined ? {} : { nextCursor }),
    ...(statusCounts === undefined ? {} : { statusCounts })
  })
  // The tag covers the cursor, because a cursor is valid for only one key and target.
  const rest = JSON.stringify([clusters.map(withoutTimes), partial, nextCursor, statusCounts])
  const head = `{${JSON.stringify(name)}:`
  // Encodes the text once, for the tag, the length and the socket.
  const bytes = Buffer.from(`${head}${rows},${envelope.slice(1)}`)
  const ofTheRows = bytes.subarray(Buffer.byteLength(head), bytes.length - Buffer.byteLength(envelope))
  const response = tagged(
    HttpServerResponse.uint8Array(bytes, { contentType: JSON_TYPE }),
    EntityTag.weakOfParts([ofTheRows, rest])
  )
  return { bytes, rowBytes: ofTheRows.length, response }
}

/** Limits the labels of rows, and returns as many rows as fit a page. */
export const fittingRows = <Row extends object>(all: ReadonlyArray<Row>): ReadonlyArray<Row> => {
  const rows = all.map(RowLimit.limited)
  return rows.slice(
    0,
    fitting(
      rows.map((row) => JSON.stringify(row)),
      PAGE_BYTES
    )
  )
}

/**
 * Replies with the list of clusters, whose rows contain their own coverage.
 *
 * **Limits** {@link PAGE_BYTES}, or a single longer row.
 */
export const ofClusters = ({ clusters: all, cursorAfter, nextCursor, partial }: Clusters.ClusterList) => {
  const clusters = fittingRows(all)
  const cursor = clusters.length === all.length ? nextCursor : cursorAfter(clusters.length)
  const list: ClusterList = { clusters, partial, ...(cursor === undefined ? {} : { nextCursor: cursor }) }
  const told = clusters.map(({ coverage, lastSeen: _seen, ...row }) => [row, withoutTimes(coverage)])
  return reply(
    tagged(
      HttpServerResponse.text(JSON.stringify(list), { contentType: JSON_TYPE }),
      EntityTag.weak(JSON.stringify([told, partial, cursor]))
    )
  )
}

/** Replies with an overview. Its entity tag covers everything but the clusters' ages and latencies. */
export const ofOverview = (overview: Overview) => {
  const { clusters, ...parts } = overview
  // Encoded once, for the reply and for its tag.
  const rest = JSON.stringify(parts)
  return reply(
    tagged(
      HttpServerResponse.text(`{"clusters":${JSON.stringify(clusters)},${rest.slice(1)}`, { contentType: JSON_TYPE }),
      EntityTag.weak(`${JSON.stringify(clusters.map(withoutTimes))} ${rest}`)
    )
  )
}

const JSON_TYPE = "application/json"

const withoutTimes = ({ ageMs: _age, latencyMs: _latency, ...coverage }: Coverage) => coverage

const tagged = (made: HttpServerResponse.HttpServerResponse, etag: string) =>
  HttpServerResponse.setHeader(made, "etag", etag)

const write = RequestRecord.writer("list")

const reply = Effect.fnUntraced(function* (list: HttpServerResponse.HttpServerResponse) {
  const { headers } = yield* HttpServerRequest.HttpServerRequest
  const { etag = "" } = list.headers
  yield* write({ list })
  return EntityTag.isKnown(headers["if-none-match"], etag)
    ? HttpServerResponse.empty({ status: 304, headers: { etag } })
    : list
})
