/**
 * Relays that delay answers as distant servers would, or hold all traffic.
 *
 * The delay starts at the request and includes the time that the cluster takes. A hundred clusters in one process answer one
 * after the other; the delay hides this as long as all of them answer within it. The relays do not parse the traffic, because
 * parsing would take more time than the clusters take.
 */
import { Clock, Effect, Latch, type Scope } from "effect"
import { connect, createServer, type Server, type Socket } from "node:net"
import { port } from "../load/Ready.ts"

export interface Delays {
  /** Opens a relay to a server until the scope closes. **Shape** both addresses are like `https://127.0.0.1:8443`. */
  readonly relay: (server: string) => Effect.Effect<string, never, Scope.Scope>
  /** Delays answers from now on. */
  readonly slow: Effect.Effect<void>
  /** Holds all traffic from now on. */
  readonly hold: Effect.Effect<void>
  /** Passes on the held traffic, and stops holding. */
  readonly open: Effect.Effect<void>
}

/** A chunk that waits until it is due. */
interface Waiting {
  readonly dueMs: number
  readonly pass: () => void
}

/** State of a connection's answers. **Shape** `askedAtMs`: time of the request. `waiting`: number of waiting chunks. */
interface Answers {
  askedAtMs: number
  waiting: number
}

/** Passes on a chunk when it is due: chunks of answers with the delay, chunks of requests at once. */
type Pass = (pass: () => void, answers?: Answers) => void

/** Makes relays with a delay of `answeredMs` from request to answer. With `holds`, they hold all traffic at first. */
export const make = Effect.fnUntraced(function* (answeredMs: number, holds: boolean) {
  const clock = yield* Clock.Clock
  /** Sorted by due time. */
  let waiting: Array<Waiting> = []
  const another = yield* Latch.make()
  let isSlow = false
  let held: Array<() => void> | undefined = holds ? [] : undefined

  const later: Pass = (pass, answers) => {
    if (held !== undefined) {
      held.push(pass)
      return
    }
    if (!isSlow || answers === undefined) return pass()
    const dueMs = answers.askedAtMs + answeredMs
    // Keeps the chunks of one connection in order, independent of other connections.
    if (answers.waiting === 0 && dueMs <= clock.currentTimeMillisUnsafe()) return pass()
    answers.waiting++
    const passed = () => {
      answers.waiting--
      pass()
    }
    const place = waiting.findLastIndex((other) => other.dueMs <= dueMs) + 1
    waiting.splice(place, 0, { dueMs, pass: passed })
    if (place === 0) another.openUnsafe()
  }
  const passDue = Effect.gen(function* () {
    yield* another.close
    const [first] = waiting
    if (first === undefined) return yield* another.await
    yield* Effect.raceFirst(Effect.sleep(Math.max(0, first.dueMs - clock.currentTimeMillisUnsafe())), another.await)
    const now = clock.currentTimeMillisUnsafe()
    const due = waiting.filter(({ dueMs }) => dueMs <= now)
    waiting = waiting.slice(due.length)
    for (const { pass } of due) pass()
  })
  yield* Effect.forkScoped(Effect.forever(passDue))

  const relay = Effect.fnUntraced(function* (server: string) {
    const behind = Number(new URL(server).port)
    const relaying = yield* Effect.acquireRelease(
      Effect.sync(() => new Relay(behind, later, () => clock.currentTimeMillisUnsafe())),
      (open) => Effect.sync(() => open.close())
    )
    return `https://127.0.0.1:${yield* Effect.promise(() => port(relaying.server))}`
  })
  const delays: Delays = {
    relay,
    slow: Effect.sync(() => {
      isSlow = true
    }),
    hold: Effect.sync(() => {
      held ??= []
    }),
    open: Effect.sync(() => {
      const passing = held ?? []
      held = undefined
      for (const pass of passing) pass()
    })
  }
  return delays
})

class Relay {
  readonly server: Server
  readonly #sockets = new Set<Socket>()

  constructor(behind: number, later: Pass, now: () => number) {
    this.server = createServer((near) => {
      const far = connect({ port: behind, host: "127.0.0.1", noDelay: true })
      near.setNoDelay(true)
      const answers: Answers = { askedAtMs: now(), waiting: 0 }
      this.#forward(near, far, (pass) => {
        answers.askedAtMs = now()
        later(pass)
      })
      this.#forward(far, near, (pass) => later(pass, answers))
    })
  }

  #forward(from: Socket, to: Socket, later: (pass: () => void) => void): void {
    this.#sockets.add(from)
    from.on("data", (bytes) => later(() => to.write(bytes)))
    from.on("end", () => later(() => to.end()))
    from.on("error", () => to.destroy())
    from.on("close", () => {
      this.#sockets.delete(from)
      to.destroySoon()
    })
  }

  close(): void {
    this.server.close()
    for (const socket of this.#sockets) socket.destroy()
  }
}
