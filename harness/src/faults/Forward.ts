/** Forwards one request to the cluster and streams the reply back. */
import { Effect } from "effect"
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http"
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

/** A reply in progress. */
export interface Reply {
  readonly call: ApiCall
  /** Ends the reply with a valid end of the response. The client's connection stays open. */
  readonly end: () => void
  readonly reset: () => void
}

const DEFAULT_AFTER_BYTES = 64

/**
 * Forwards one request.
 *
 * The faults of a reply apply in this order: `SlowReply`, `LostBookmarks`, `MalformedJson`, `TruncatedReply`.
 *
 * **Limits** buffers only what a stage needs. If the client does not read, the proxy stops reading the cluster's reply.
 * If the cluster's connection breaks, the client's connection is reset.
 */
export const forward = (exchange: Exchange): Reply => {
  const { call, request, reset, response, upstream } = exchange
  const transfer = new Transfer(exchange)
  response.sendDate = false
  response.on("drain", () => transfer.drained())
  response.once("close", () => transfer.gone())
  upstream.client.dispatch(
    {
      method: request.method ?? "GET",
      path: request.url ?? "/",
      headers: Headers.forCluster(request, transfer.body.isText),
      body: hasBody(request) ? request : null
    },
    {
      onRequestStart: (controller) => transfer.started(controller),
      onResponseStart: (_controller, status, headers, text) => transfer.begin(status, headers, text),
      onResponseData: (_controller, chunk) => transfer.push(chunk),
      onResponseEnd: () => transfer.end(),
      onResponseError: () => {
        if (!transfer.over) reset()
      }
    }
  )
  return {
    call,
    end: () => transfer.cutWithEnd(),
    reset: () => {
      transfer.gone()
      reset()
    }
  }
}

/** The reply to one request, in transfer from the cluster to the client. */
class Transfer {
  readonly body: Body
  /** True when no more data goes to the client. */
  over = false
  readonly #exchange: Exchange
  readonly #delays: ReadonlyArray<Effect.Effect<void>>
  /** Chunks that arrived while the reply was delayed. */
  readonly #delayed: Array<Buffer> = []
  #slow: boolean
  #ended = false
  /** Remaining bytes of the body, if nothing alters it and the cluster sent a length. Otherwise NaN. */
  #left = Number.NaN
  #controller: Dispatcher.DispatchController | undefined

  constructor(exchange: Exchange) {
    this.#exchange = exchange
    this.body = bodyOf(exchange)
    this.#delays = exchange.altered.flatMap(({ fault, healed }) =>
      fault._tag === "SlowReply" ? [Effect.raceFirst(Effect.sleep(fault.bodyAfterMs), healed)] : []
    )
    this.#slow = this.#delays.length > 0
  }

  started(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.over) this.#stop()
  }

  begin(status: number, headers: IncomingHttpHeaders, text = ""): void {
    const { response, run } = this.#exchange
    if (status < 200 || this.over) return
    const lengthHolds = this.body.begin(headers["content-type"] ?? "", headers["content-encoding"] ?? "")
    if (!this.body.alters) this.#left = Number(headers["content-length"])
    response.writeHead(status, text, Headers.forClient(headers, { lengthHolds }))
    // If the body has already arrived, headers and body go out together.
    queueMicrotask(() => {
      if (!this.over) response.flushHeaders()
    })
    if (!this.#slow) return
    this.#controller?.pause()
    run(
      Effect.andThen(
        Effect.all(this.#delays, { discard: true }),
        Effect.sync(() => this.#release())
      )
    )
  }

  push(chunk: Buffer): void {
    if (this.over) return
    if (this.#slow) this.#delayed.push(chunk)
    else this.#write(chunk)
  }

  end(): void {
    if (this.over) return
    this.#ended = true
    if (!this.#slow) this.#finish()
  }

  /** Called when the client has read the buffered data. */
  drained(): void {
    if (!this.#slow && !this.over) this.#controller?.resume()
  }

  gone(): void {
    this.over = true
  }

  /** Ends the reply early, but with a valid end of the response. */
  cutWithEnd(): void {
    if (this.over) return
    this.#stop()
    this.#exchange.response.end(this.body.end())
  }

  #stop(): void {
    this.over = true
    if (this.#controller === undefined) return
    this.#exchange.upstream.forgive()
    this.#controller.abort(new Error("a fault ended the reply"))
  }

  #cutShort(): void {
    this.#stop()
    // By now a request with a body may no longer have a socket.
    this.#exchange.response.socket?.end()
  }

  #write(chunk: Buffer): void {
    const { response } = this.#exchange
    this.#left -= chunk.length
    // Writing the last bytes and the end together saves one write per reply.
    if (this.#left === 0) {
      this.over = true
      response.end(chunk)
      return
    }
    const out = this.body.push(chunk)
    if (out.length > 0 && !response.write(out)) this.#controller?.pause()
    if (this.body.isCut()) this.#cutShort()
  }

  #finish(): void {
    const rest = this.body.end()
    if (this.body.cuts()) {
      this.#cutShort()
      return
    }
    this.over = true
    this.#exchange.response.end(rest.length === 0 ? undefined : rest)
  }

  #release(): void {
    this.#slow = false
    if (this.over) return
    for (const chunk of this.#delayed.splice(0)) this.#write(chunk)
    if (this.#ended) this.#finish()
    else this.#controller?.resume()
  }
}

/** A reply's body, passing through the stages of the active faults. */
interface Body extends Stage {
  readonly alters: boolean
  /** True if the stages parse JSON. */
  readonly isText: boolean
  /** True if the end of the reply must not reach the client. */
  readonly cuts: () => boolean
  readonly isCut: () => boolean
  /** Starts the body. Returns whether the length that the cluster announced is still correct. */
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
