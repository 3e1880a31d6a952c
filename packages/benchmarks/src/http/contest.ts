/**
 * A load on the service and on a plain Node server that writes the same bytes, in turns.
 */
import { Console, Effect } from "effect"
import type { Claim } from "../claim/Claim.ts"
import * as Measure from "../claim/Measure.ts"
import type { Extent } from "../claim/Suite.ts"
import type { Question } from "../load/Plan.ts"
import * as Programs from "../load/Programs.ts"

/** Number of recorded answers that the raw server writes in turn. */
const RECORDED = 64
/** Maximum number of requests of one load. */
export const MOST = 30_000

interface Contest {
  readonly claim: string
  readonly atLeast: number
  readonly connections: number
  /** The requests: one that is sent repeatedly, or many, each sent once. */
  readonly questions: ReadonlyArray<Question>
  /** True if a load sends the requests again once all were sent. */
  readonly mayRepeat?: boolean
  /** The expected status, by default 200. */
  readonly status?: number
  readonly note: string
}

/** Loads the service and the raw server in turns. **Errors** if a load needs more different requests than there are. */
export const contest = Effect.fnUntraced(function* (
  { quick }: Extent,
  service: Programs.Service,
  { atLeast, claim, connections, note, questions, status = 200, ...options }: Contest
) {
  const mayRepeat = options.mayRepeat === true || questions.length === 1
  const seconds = quick ? 0.7 : 3
  const pairs = quick ? 2 : 7
  yield* Console.error(`${claim}: ${pairs} pairs of ${seconds} s`)
  const raw = yield* Programs.raw(yield* Programs.recorded(service, questions.slice(-RECORDED), status))
  const load = yield* Programs.loader
  const plan = { connections, seconds, questions: questions.slice(0, MOST), pages: !mayRepeat, status }
  const ours: Array<number> = []
  const peer: Array<number> = []
  const p99: Array<number> = []
  let first = 0
  let cpuMs = 0
  let answered = 0
  const askOurs = Effect.gen(function* () {
    const before = yield* service.figures
    const result = yield* load({
      ...plan,
      port: service.port,
      questions: mayRepeat ? plan.questions : questions.slice(first, first + MOST)
    })
    cpuMs += (yield* service.figures).cpuMs - before.cpuMs
    answered += result.answered
    first += result.asked
    if (mayRepeat) first = 0
    else if (first > questions.length - RECORDED || result.asked > MOST) {
      return yield* new Programs.ProgramFailed({ problem: `only ${questions.length} questions, and more were asked` })
    }
    ours.push(result.perSecond)
    p99.push(result.p99)
  })
  const askPeer = Effect.map(load({ ...plan, port: raw }), ({ perSecond }) => peer.push(perSecond))
  for (let turn = 0; turn <= pairs; turn++) {
    yield* turn % 2 === 0 ? Effect.andThen(askOurs, askPeer) : Effect.andThen(askPeer, askOurs)
  }
  return {
    claim,
    // The first pair is the warm-up.
    ours: { value: Measure.median(ours.slice(1)), unit: "/s" },
    peer: { name: "node:http writing the same bytes", value: Measure.median(peer.slice(1)), unit: "/s" },
    goal: { _tag: "ratioAtLeast", atLeast },
    note: `${note}; ${(cpuMs / answered).toFixed(3)} ms of processor a request, p99 ${Measure.median(p99).toFixed(1)} ms; median of ${pairs}; the load shares the processors; default log to /dev/null`
  } satisfies Claim
})
