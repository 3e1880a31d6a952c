/** One direction of a connection: copies bytes from one socket to another, with delays, rate limits and stalls. */
import { Clock, Effect, type Fiber } from "effect"
import type { Readable, Writable } from "node:stream"
import * as LineRate from "./LineRate.ts"

/**
 * A rate limit of a lane. Lanes with the same `line` object (the state of a simulated network line) share the rate.
 * Without a `line`, each lane has the full rate for itself.
 */
export interface Rate {
  readonly bytesPerSecond: number
  readonly pieceBytes: number
  readonly line?: { state: LineRate.Line }
}

/** The effects of the active faults on a lane. `held` stalls it. */
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
  /** Returns a random number between 0 and 1. */
  readonly chance: () => number
  readonly run: (effect: Effect.Effect<void>) => Fiber.Fiber<void>
  readonly onWritten: (bytes: number) => void
}

export interface Lane {
  readonly apply: (rules: Rules) => void
  /** Discards the waiting bytes and everything that arrives later. */
  readonly abandon: () => void
}

/** Maximum number of buffered bytes. Beyond it the lane stops reading. */
const MAX_WAITING_BYTES = 1024 * 1024

interface Waiting {
  bytes: Buffer
  readonly dueMs: number
}

/** Bytes that wait until they are due, oldest first. */
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

  /** Removes and returns the first bytes of the oldest entry, `head`. */
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
 * Connects two sockets in one direction.
 *
 * **Limits** without rules it is a plain pipe. The end of the source ends the target after all waiting bytes.
 */
export const make = (options: LaneOptions): Lane => {
  const { chance, clock, onWritten, from, run, to } = options
  const ownLines = new Map<Rate, { state: LineRate.Line }>()
  const backlog = new Backlog()
  const sink = sinkOf(to, onWritten, () => flow())
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
      yield* until(reserve(rules.rates, ownLines, yield* Clock.currentTimeMillis, size))
      // Writing and removing the bytes is one step, so the pump can be interrupted at any wait.
      sink.write(backlog.take(head, size))
      if (sink.isFull()) yield* drained(to)
      flow()
    }
    pumping = false
    finish()
  })
  const start = (): void => {
    if (pumping || rules.held || abandoned || backlog.head === undefined) return
    // The pump runs synchronously and may finish before `pump` is assigned.
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
      const earliestMs = clock.currentTimeMillisUnsafe() + rules.latencyMs + rules.jitterMs * chance()
      lastDueMs = Math.max(lastDueMs, earliestMs)
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

/** Wraps the target socket and tracks whether its buffer is full. */
const sinkOf = (to: Writable, onWritten: (bytes: number) => void, drained: () => void) => {
  let full = false
  return {
    isFull: () => full,
    write: (bytes: Buffer): void => {
      if (to.destroyed || to.writableEnded) return
      onWritten(bytes.length)
      if (to.write(bytes)) return
      full = true
      to.once("drain", () => {
        full = false
        drained()
      })
    }
  }
}

/**
 * Reserves time for the bytes on the simulated line of each rate limit. Returns the time at which the slowest line has
 * passed them.
 */
const reserve = (
  rates: ReadonlyArray<Rate>,
  ownLines: Map<Rate, { state: LineRate.Line }>,
  nowMs: number,
  bytes: number
): number => {
  let dueMs = nowMs
  for (const rate of rates) {
    const line = rate.line ?? ownLines.get(rate) ?? { state: LineRate.idle }
    if (rate.line === undefined) ownLines.set(rate, line)
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
