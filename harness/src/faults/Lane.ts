/** One direction of a connection: bytes from one socket to another, at once, later, slower or not at all. */
import { Clock, Effect, type Fiber } from "effect"
import type { Readable, Writable } from "node:stream"
import * as LineRate from "./LineRate.ts"

/** A rate that a lane keeps. `line` is shared by all lanes; without it each lane has one of its own. */
export interface Rate {
  readonly bytesPerSecond: number
  readonly pieceBytes: number
  readonly line?: { state: LineRate.Line }
}

/** What a lane does to its bytes now. */
export interface Rules {
  readonly held: boolean
  readonly latencyMs: number
  readonly jitterMs: number
  readonly rates: ReadonlyArray<Rate>
}

export const FREE: Rules = { held: false, latencyMs: 0, jitterMs: 0, rates: [] }

export interface LaneOptions {
  readonly from: Readable
  readonly to: Writable
  readonly rules: Rules
  readonly clock: Clock.Clock
  /** Between 0 and 1. */
  readonly chance: () => number
  readonly run: (effect: Effect.Effect<void>) => Fiber.Fiber<void>
  readonly counted: (bytes: number) => void
}

export interface Lane {
  readonly apply: (rules: Rules) => void
  /** Forgets what waits and passes nothing more; what comes is thrown away. */
  readonly abandon: () => void
}

/** A lane holds this much and then leaves the rest to the sender's socket. */
const MAX_WAITING_BYTES = 1024 * 1024

interface Waiting {
  bytes: Buffer
  readonly dueMs: number
}

/** The bytes that have come and wait for their time, the oldest first. */
class Backlog {
  readonly #waiting: Array<Waiting> = []
  #bytes = 0

  get head(): Waiting | undefined {
    return this.#waiting[0]
  }

  get bytes(): number {
    return this.#bytes
  }

  push(waiting: Waiting): void {
    this.#waiting.push(waiting)
    this.#bytes += waiting.bytes.length
  }

  /** Takes the first bytes of the head off. */
  take(head: Waiting, size: number): Buffer {
    const taken = head.bytes.subarray(0, size)
    head.bytes = head.bytes.subarray(size)
    this.#bytes -= size
    if (head.bytes.length === 0) this.#waiting.shift()
    return taken
  }

  clear(): void {
    this.#waiting.length = 0
  }
}

/**
 * Joins two sockets in one direction.
 *
 * **Limits** without rules it is a plain pipe; the end of the one becomes the end of the other, after all that waits.
 */
export const make = (options: LaneOptions): Lane => {
  const { chance, clock, counted, from, run, to } = options
  const own = new Map<Rate, { state: LineRate.Line }>()
  const backlog = new Backlog()
  const sink = sinkOf(to, counted, () => flow())
  let rules = options.rules
  let lastDueMs = Number.NEGATIVE_INFINITY
  let ended = false
  let abandoned = false
  let pump: Fiber.Fiber<void> | undefined
  let pumping = false

  const flow = (): void => {
    if (abandoned || (!rules.held && !sink.isFull() && backlog.bytes < MAX_WAITING_BYTES)) from.resume()
    else from.pause()
  }
  const isFree = (): boolean =>
    backlog.head === undefined && rules.latencyMs + rules.jitterMs === 0 && rules.rates.length === 0
  const finish = (): void => {
    if (ended && backlog.head === undefined && !rules.held) to.end()
  }

  const pumped = Effect.gen(function* () {
    for (let { head } = backlog; head !== undefined; { head } = backlog) {
      if (rules.latencyMs + rules.jitterMs > 0) yield* until(head.dueMs)
      const size = Math.min(head.bytes.length, ...rules.rates.map(({ pieceBytes }) => pieceBytes))
      yield* until(reserve(rules.rates, own, yield* Clock.currentTimeMillis, size))
      // What was waited for is written and forgotten in one step, so the pump may be stopped at any wait.
      sink.write(backlog.take(head, size))
      if (sink.isFull()) yield* drained(to)
      flow()
    }
    pumping = false
    finish()
  })
  const start = (): void => {
    if (pumping || rules.held || abandoned || backlog.head === undefined) return
    // The pump runs at once and may be through before its fiber is known.
    pumping = true
    pump = run(pumped)
  }
  const stop = (): void => {
    if (pumping) pump?.interruptUnsafe()
    pumping = false
  }

  from.on("data", (bytes: Buffer) => {
    if (abandoned) return
    if (isFree()) {
      sink.write(bytes)
    } else {
      const wishedMs = clock.currentTimeMillisUnsafe() + rules.latencyMs + rules.jitterMs * chance()
      lastDueMs = Math.max(lastDueMs, wishedMs)
      backlog.push({ bytes, dueMs: lastDueMs })
      start()
    }
    flow()
  })
  from.once("end", () => {
    ended = true
    if (!abandoned) finish()
  })
  from.once("close", () => {
    if (!ended) stop()
  })
  to.once("close", stop)
  flow()
  return {
    apply: (next) => {
      rules = next
      stop()
      start()
      flow()
      finish()
    },
    abandon: () => {
      abandoned = true
      stop()
      backlog.clear()
      flow()
    }
  }
}

/** Writes into a socket, and says whether that wants no more now. */
const sinkOf = (to: Writable, counted: (bytes: number) => void, drained: () => void) => {
  let full = false
  return {
    isFull: () => full,
    write: (bytes: Buffer): void => {
      if (to.destroyed || to.writableEnded) return
      counted(bytes.length)
      if (to.write(bytes)) return
      full = true
      to.once("drain", () => {
        full = false
        drained()
      })
    }
  }
}

/** Takes its time on every line, and gives when the slowest has passed it. */
const reserve = (
  rates: ReadonlyArray<Rate>,
  own: Map<Rate, { state: LineRate.Line }>,
  nowMs: number,
  bytes: number
): number => {
  let dueMs = nowMs
  for (const rate of rates) {
    const line = rate.line ?? own.get(rate) ?? { state: LineRate.idle }
    if (rate.line === undefined) own.set(rate, line)
    line.state = LineRate.pass(line.state, nowMs, bytes, rate.bytesPerSecond)
    dueMs = Math.max(dueMs, line.state.freeAtMs)
  }
  return dueMs
}

const until = (dueMs: number): Effect.Effect<void> =>
  Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
    dueMs > nowMs ? Effect.sleep(Math.ceil(dueMs - nowMs)) : Effect.void
  )

const drained = (socket: Writable): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    const go = () => resume(Effect.void)
    socket.once("drain", go).once("close", go)
    return Effect.sync(() => socket.off("drain", go).off("close", go))
  })
