/**
 * Passes one request on to the cluster and its reply back, as it comes.
 *
 * @since 0.1.0
 */
import { Effect } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Dispatcher } from "undici"
import type { Injection } from "./ActiveFaults.ts"
import { type ApiCall, isWatch } from "./ApiCall.ts"
import * as BodyStages from "./BodyStages.ts"
import * as Headers from "./Headers.ts"
import type { Stage } from "./Lines.ts"
import type { Upstream } from "./Upstream.ts"

export interface Exchange {
  readonly call: ApiCall
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly upstream: Upstream
  readonly altered: ReadonlyArray<Injection>
  /** Resets the client's connection. */
  readonly reset: () => void
  readonly run: (effect: Effect.Effect<void>) => unknown
}

/** A reply that is under way. */
export interface Reply {
  readonly call: ApiCall
  /** Ends it properly; the client's connection stays. */
  readonly end: () => void
  readonly reset: () => void
}

const DEFAULT_AFTER_BYTES = 64

/**
 * Passes it on.
 *
 * **Shape** replies pass in this order: held up (`SlowReply`), without bookmarks, malformed, truncated.
 *
 * **Limits** holds no more than a stage must: when the client does not read, the cluster is not read either. A cluster
 * that breaks off resets the client.
 */
export const forward = (exchange: Exchange): Reply => {
  const { call, request, reset, response, run, upstream } = exchange
  const delays = exchange.altered.flatMap(({ fault, healed }) =>
    fault._tag === "SlowReply" ? [Effect.raceFirst(Effect.sleep(fault.bodyAfterMs), healed)] : []
  )
  const body = bodyOf(exchange)
  const held: Array<Buffer> = []
  const state = { over: false, slow: delays.length > 0, ended: false }
  /** Bytes of the body that are still to come, where nothing alters it and the cluster said. */
  let left = Number.NaN
  let controller: Dispatcher.DispatchController | undefined

  const stop = (): void => {
    state.over = true
    if (controller === undefined) return
    upstream.forgive()
    controller.abort(new Error("a fault ended the reply"))
  }
  const cutShort = (): void => {
    stop()
    request.socket.end()
  }
  const write = (chunk: Buffer): void => {
    left -= chunk.length
    // The last bytes and the end in one go: one write less a reply.
    if (left === 0) {
      state.over = true
      response.end(chunk)
      return
    }
    const out = body.push(chunk)
    if (out.length > 0 && !response.write(out)) controller?.pause()
    if (body.isCut()) cutShort()
  }
  const finish = (): void => {
    const rest = body.end()
    if (body.cuts()) {
      cutShort()
      return
    }
    state.over = true
    response.end(rest.length === 0 ? undefined : rest)
  }
  const released = Effect.andThen(
    Effect.all(delays, { discard: true }),
    Effect.sync(() => {
      state.slow = false
      if (state.over) return
      for (const chunk of held.splice(0)) write(chunk)
      if (state.ended) finish()
      else controller?.resume()
    })
  )

  response.sendDate = false
  response.on("drain", () => {
    if (!state.slow && !state.over) controller?.resume()
  })
  response.once("close", () => {
    state.over = true
  })
  upstream.client.dispatch(
    {
      method: request.method ?? "GET",
      path: request.url ?? "/",
      headers: Headers.forCluster(request, body.isText),
      body: hasBody(request) ? request : null
    },
    {
      onRequestStart: (started) => {
        controller = started
        if (state.over) stop()
      },
      onResponseStart: (_controller, status, headers, text = "") => {
        if (status < 200 || state.over) return
        const lengthHolds = body.begin(String(headers["content-type"] ?? ""), String(headers["content-encoding"] ?? ""))
        if (!body.alters) left = Number(headers["content-length"])
        response.writeHead(status, text, Headers.forClient(headers, { lengthHolds }))
        // A body that is there already goes out with the headers in one piece.
        queueMicrotask(() => {
          if (!state.over) response.flushHeaders()
        })
        if (!state.slow) return
        controller?.pause()
        run(released)
      },
      onResponseData: (_controller, chunk) => {
        if (state.over) return
        if (state.slow) held.push(chunk)
        else write(chunk)
      },
      onResponseEnd: () => {
        if (state.over) return
        state.ended = true
        if (!state.slow) finish()
      },
      onResponseError: () => {
        if (!state.over) reset()
      }
    }
  )
  return {
    call,
    end: () => {
      if (state.over) return
      stop()
      response.end(body.end())
    },
    reset: () => {
      state.over = true
      reset()
    }
  }
}

/** A reply's body on its way through the stages that faults put up. */
interface Body extends Stage {
  readonly alters: boolean
  /** The stages read JSON. */
  readonly isText: boolean
  /** The end shall not reach the client. */
  readonly cuts: () => boolean
  readonly isCut: () => boolean
  /** Says whether the length that the cluster announced still holds. */
  readonly begin: (contentType: string, contentEncoding: string) => boolean
}

const bodyOf = ({ altered, call }: Exchange): Body => {
  const bookmarks = altered.find(({ fault }) => fault._tag === "LostBookmarks")
  const malformed = altered.find(({ fault }) => fault._tag === "MalformedJson")
  const cut = altered.find(({ fault }) => fault._tag === "TruncatedReply")
  const truncated = truncatedStage(cut)
  let stages: ReadonlyArray<Stage> = []
  return {
    alters: bookmarks !== undefined || malformed !== undefined || cut !== undefined,
    isText: bookmarks !== undefined || malformed !== undefined,
    cuts: () => cut?.isActive() === true,
    isCut: () => truncated?.over() === true,
    begin: (contentType, contentEncoding) => {
      const readable = contentType.includes("json") && (contentEncoding === "" || contentEncoding === "identity")
      const textual = readable ? [...bookmarkStages(bookmarks), ...malformedStages(malformed, call)] : []
      stages = truncated === undefined ? textual : [...textual, truncated]
      return textual.length === 0
    },
    push: (chunk) => stages.reduce((bytes, stage) => (bytes.length === 0 ? bytes : stage.push(bytes)), chunk),
    end: () => {
      let rest: Buffer = Buffer.alloc(0)
      for (const stage of stages) rest = Buffer.concat([rest.length === 0 ? rest : stage.push(rest), stage.end()])
      return rest
    }
  }
}

const bookmarkStages = (injection: Injection | undefined): ReadonlyArray<Stage> =>
  injection?.fault._tag === "LostBookmarks"
    ? [
        BodyStages.withoutBookmarks({
          keepInitialEventsEnd: injection.fault.keepInitialEventsEnd ?? false,
          isActive: injection.isActive
        })
      ]
    : []

const truncatedStage = (injection: Injection | undefined) =>
  injection?.fault._tag === "TruncatedReply"
    ? BodyStages.truncated(injection.fault.afterBytes ?? DEFAULT_AFTER_BYTES, injection.isActive)
    : undefined

const malformedStages = (injection: Injection | undefined, call: ApiCall): ReadonlyArray<Stage> => {
  if (injection === undefined) return []
  return [isWatch(call) ? BodyStages.malformedEvents(injection.isActive) : BodyStages.malformedReply()]
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0
