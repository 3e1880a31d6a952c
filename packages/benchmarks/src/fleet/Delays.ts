/**
 * Relays that have answers come later, as those of servers far away do, or hold all that passes until they are told.
 *
 * An answer is passed on so long after its request came, what the cluster took for it included: a hundred clusters that share
 * a process answer one after the other, the last some 20 ms after the first, and have all of the wait for it. Bytes pass as
 * they are: a relay that reads requests takes more time than the clusters behind it, and a hundred that answer at once would
 * wait for it.
 */
import { Clock, Effect, Latch, type Scope } from "effect"
import { connect, createServer, type Server, type Socket } from "node:net"
import { port } from "../load/Ready.ts"

export interface Delays {
  /** Stands in front of a server until the scope closes. **Shape** both are as `https://127.0.0.1:8443`. */
  readonly relay: (server: string) => Effect.Effect<string, never, Scope.Scope>
  /** Has answers come later from now on. */
  readonly slow: Effect.Effect<void>
  /** Holds from now on what passes. */
  readonly hold: Effect.Effect<void>
  /** Passes on what was held until now, and holds nothing any more. */
  readonly open: Effect.Effect<void>
}

/** What waits for its time. **Units** `dueMs` milliseconds. */
interface Waiting {
  readonly dueMs: number
  readonly pass: () => void
}

/** Answers of one connection. **Shape** `waiting`: how many pieces of them do. **Units** `askedAtMs` milliseconds. */
interface Answers {
  askedAtMs: number
  waiting: number
}

/** Lets bytes pass when it is time: those of answers later, those of requests at once. */
type Pass = (pass: () => void, answers?: Answers) => void

/** Makes relays by which answers come so long after requests; **Units** milliseconds. Nothing passes them at first if they hold. */
export const make = Effect.fnUntraced(function* (answeredMs: number, holds: boolean) {
  const clock = yield* Clock.Clock
  /** In the order of their times. */
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
    // The bytes of one connection stay in order; those of others wait for none of them.
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
