/**
 * Relays that have what passes them come later, as a network far away does, or hold it until they are told.
 *
 * Bytes pass as they are: a relay that reads requests takes more time than the clusters behind it, and a hundred that answer
 * at once would wait for it.
 */
import { Clock, Effect, Latch, type Scope } from "effect"
import { connect, createServer, type Server, type Socket } from "node:net"
import { port } from "../load/Ready.ts"

export interface Delays {
  /** Stands in front of a server until the scope closes. **Shape** both are as `https://127.0.0.1:8443`. */
  readonly relay: (server: string) => Effect.Effect<string, never, Scope.Scope>
  /** Has everything come later from now on, in each direction. */
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

/** Makes relays that take so long for each direction; **Units** milliseconds. Nothing passes them at first if they hold. */
export const make = Effect.fnUntraced(function* (eachMs: number, holds: boolean) {
  const clock = yield* Clock.Clock
  // All wait equally long, so that the first in is the first out.
  let waiting: Array<Waiting> = []
  const some = yield* Latch.make()
  let isSlow = false
  let held: Array<() => void> | undefined = holds ? [] : undefined

  const later = (pass: () => void): void => {
    if (held !== undefined) {
      held.push(pass)
      return
    }
    if (!isSlow) return pass()
    waiting.push({ dueMs: clock.currentTimeMillisUnsafe() + eachMs, pass })
    some.openUnsafe()
  }
  const passDue = Effect.gen(function* () {
    yield* some.await
    const [first] = waiting
    if (first === undefined) return yield* some.close
    yield* Effect.sleep(Math.max(0, first.dueMs - clock.currentTimeMillisUnsafe()))
    const now = clock.currentTimeMillisUnsafe()
    const due = waiting.filter(({ dueMs }) => dueMs <= now)
    waiting = waiting.slice(due.length)
    for (const { pass } of due) pass()
  })
  yield* Effect.forkScoped(Effect.forever(passDue))

  const relay = Effect.fnUntraced(function* (server: string) {
    const behind = Number(new URL(server).port)
    const relaying = yield* Effect.acquireRelease(
      Effect.sync(() => new Relay(behind, later)),
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

  constructor(behind: number, later: (pass: () => void) => void) {
    this.server = createServer((near) => {
      const far = connect({ port: behind, host: "127.0.0.1", noDelay: true })
      near.setNoDelay(true)
      this.#forward(near, far, later)
      this.#forward(far, near, later)
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
