/**
 * Soak: clusters start, stop and hang at random while the server's answers are compared with their contents.
 *
 * Run `pnpm soak:chaos [--clusters 20] [--minutes 10] [--driver control-plane] [--seed N]`. The exit status is 0 if no
 * answer was wrong and the server's heap stayed flat.
 */
import { ControlPlane, Embedded, Fleet } from "@quarterdeck/harness"
import { Clock, Console, Effect, Fiber, Option, Random, Schema, Semaphore } from "effect"
import * as MainProgram from "./MainProgram.ts"
import { Command, Flag } from "effect/cli"
import type * as Answer from "./soak/Answer.ts"
import * as Checks from "./soak/Checks.ts"
import * as Served from "./soak/Served.ts"
import * as Tracked from "./soak/Tracked.ts"
import * as Verdict from "./soak/Verdict.ts"
import * as Witness from "./soak/Witness.ts"

/** Requests per second, and maximum concurrent requests. */
const RATE = 50
const AT_ONCE = 64
/** Maximum backlog of requests that were due while no slot was free. */
const CAUGHT_UP_MS = 1_000
/** Writes per second to each cluster. */
const WRITES = 2
const HEAP_EVERY = "20 seconds"

class NotHeld extends Schema.TaggedError<NotHeld>()("NotHeld", { problem: Schema.String }) {
  override get message(): string {
    return this.problem
  }
}

const SORTS = ["name", "namespace", "cluster", "kind", "status", "createdAt", "cpuRequestMillis"] as const

const among = Effect.fnUntraced(function* <A>(choices: readonly [A, ...Array<A>]) {
  return choices[yield* Random.nextIntBetween(0, choices.length)] ?? choices[0]
})

const anyQuestion = Effect.gen(function* () {
  const question: Answer.Question = {
    sort: yield* among(SORTS),
    order: yield* among<Answer.Question["order"]>(["asc", "desc"]),
    namespace: yield* among([undefined, undefined, "shop", "default"]),
    name: yield* among([undefined, undefined, "work-1", "7"]),
    isLive: (yield* Random.next) < 0.05
  }
  return question
})

/** Returns a fault without names and numbers, to group faults by kind. */
const kindOf = (fault: string): string => fault.replaceAll(/\S+\/\S+|child-\d+|hub|\d+/g, "…").slice(0, 80)

const DRIVERS = { embedded: Embedded.driver, "control-plane": ControlPlane.driver }

interface Extent {
  readonly clusters: number
  readonly minutes: number
  readonly driver: keyof typeof DRIVERS
}

const soak = Effect.fnUntraced(function* ({ clusters: count, driver, minutes }: Extent) {
  const children = Array.from({ length: count - 1 }, (_, index) => `child-${String(index).padStart(3, "0")}`)
  const fleet = yield* Fleet.make({ driver: DRIVERS[driver], parent: "hub", children, faults: true })
  const clusters = yield* Effect.forEach(fleet.clusters, Tracked.track)
  yield* Effect.forEach(clusters, Tracked.prepare, { discard: true })
  const served = yield* Served.start(fleet.kubeconfig)
  yield* Console.log(`${count} clusters, ${minutes} minutes`)

  const told = { asked: 0, compared: 0, wrong: 0 }
  const kinds = new Map<string, number>()
  const wrong = (asked: string, faults: ReadonlyArray<string>) =>
    Effect.suspend(() => {
      told.wrong++
      for (const fault of faults) kinds.set(kindOf(fault), (kinds.get(kindOf(fault)) ?? 0) + 1)
      return told.wrong > 20 ? Effect.void : Console.error(`${asked}\n  ${faults.slice(0, 5).join("\n  ")}`)
    })
  const endsAt = (yield* Clock.currentTimeMillis) + minutes * 60_000
  const untilEnd = <A, E, R>(each: Effect.Effect<A, E, R>) =>
    Effect.whileLoop({ while: () => true, body: () => each, step: () => undefined }).pipe(
      Effect.timeoutOption(minutes * 60_000)
    )
  for (const tracked of clusters) {
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(Tracked.write(tracked), Effect.sleep(1_000 / WRITES))))
    // The parent stays up, because every request needs it.
    if (tracked.cluster.role !== "child") continue
    const compared = Checks.agree(served, tracked).pipe(
      Effect.matchEffect({
        onFailure: (error) => wrong(`after an outage of ${tracked.cluster.name}`, [String(error)]),
        onSuccess: () => Effect.sync(() => told.compared++)
      })
    )
    yield* Effect.forkScoped(Tracked.live(tracked, driver === "embedded", compared))
  }
  const witness = yield* Witness.make(clusters)
  const heaps: Array<number> = []
  const watching = yield* Effect.forkScoped(
    Effect.forever(
      Effect.gen(function* () {
        yield* Effect.sleep(HEAP_EVERY)
        heaps.push(yield* served.heap)
        const left = Math.max(0, endsAt - (yield* Clock.currentTimeMillis))
        yield* Console.log(
          `${(left / 60_000).toFixed(1)} minutes left, ${told.asked} asked, ${told.wrong} wrong, heap ${(heaps.at(-1) ?? 0) >> 20} MiB`
        )
      })
    )
  )
  const places = yield* Semaphore.make(AT_ONCE)
  const asking = Effect.gen(function* () {
    const isWalk = (yield* Random.next) < 0.02
    return yield* isWalk
      ? Checks.walk(served, clusters)
      : Checks.ask(served, clusters, yield* anyQuestion, witness.wasHeld)
  })
  const one = asking.pipe(
    // A missing or unreadable answer counts as wrong.
    Effect.catch((error) => Effect.succeed({ asked: "a list", faults: [String(error)] })),
    Effect.flatMap(({ asked, faults }) => {
      told.asked++
      return faults.length > 0 ? wrong(asked, faults) : Effect.void
    })
  )
  let dueAt = yield* Clock.currentTimeMillis
  const next = Effect.gen(function* () {
    // Wait for a slot before starting the next request, so that requests do not pile up on a busy machine.
    yield* places.take(1)
    yield* Effect.forkScoped(Effect.ensuring(one, places.release(1)))
    const now = yield* Clock.currentTimeMillis
    dueAt = Math.max(dueAt + 1_000 / RATE, now - CAUGHT_UP_MS)
    yield* Effect.sleep(Math.max(0, dueAt - now))
  })
  // Also end if the server stops reporting its heap.
  yield* Effect.raceFirst(untilEnd(next), Fiber.join(watching))
  yield* Fiber.interrupt(watching)
  const { answers, heldMs, silences } = yield* witness.found
  const run = { ...told, due: minutes * 60 * RATE, heaps, answers, silences, held: heldMs / (minutes * 60_000) }
  for (const line of Verdict.lines(run)) yield* Console.log(line)
  for (const [kind, times] of kinds) yield* Console.log(`  ${times} times: ${kind}`)
  const problem = Verdict.problemOf(run)
  if (problem !== undefined) return yield* new NotHeld({ problem })
}, Effect.scoped)

const chaos = Command.make(
  "soak:chaos",
  {
    clusters: Flag.Int("clusters").pipe(Flag.withDefault(20), Flag.withDescription("Number of clusters")),
    minutes: Flag.Finite("minutes").pipe(Flag.withDefault(10), Flag.withDescription("Duration in minutes")),
    driver: Flag.Literals("driver", ["embedded", "control-plane"]).pipe(
      Flag.withDefault("embedded"),
      Flag.withDescription("Kind of clusters. Only embedded clusters can hang; control planes are killed and restarted")
    ),
    seed: Flag.Int("seed").pipe(
      Flag.withDescription("Seed of the random events (default: a new seed each run)"),
      Flag.optional
    )
  },
  Effect.fnUntraced(function* ({ clusters, driver, minutes, seed: given }) {
    const another = (yield* Clock.currentTimeMillis) % 100_000
    const seed = Option.getOrElse(given, () => another)
    yield* Console.log(`seed ${seed}`)
    yield* Random.withSeed(soak({ clusters, driver, minutes }), seed)
  })
).pipe(Command.withDescription("Compare answers with the clusters' contents while clusters start, stop and hang."))

MainProgram.run(Command.run(chaos, { version: "0.0.0" }))
