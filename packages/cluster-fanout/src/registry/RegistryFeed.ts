/** Holds the present snapshot of a registry, tells those who listen, and reports what is wrong with it. */
import { Effect, Metric, PubSub, Ref, Stream } from "effect"
import { ClusterRegistry, type RegistryProblem, type RegistrySnapshot } from "./ClusterRegistry.ts"

const problemGauge = Metric.gauge("quarterdeck_registry_problems", {
  description: "Entries of the cluster sources that were refused or taken with a warning"
})

/**
 * Makes a registry that shows a snapshot until the next is published.
 *
 * **Shape** `isOwn` tells problems that are to be logged here from those that another registry, which this one builds on, has told.
 */
export const make = Effect.fnUntraced(function* (
  first: RegistrySnapshot,
  isOwn: (problem: RegistryProblem) => boolean = () => true
) {
  const present = yield* Ref.make(first)
  // A listener that falls behind needs only the newest: one slot.
  const news = yield* Effect.acquireRelease(
    PubSub.sliding<RegistrySnapshot>({ capacity: 1, replay: 1 }),
    PubSub.shutdown
  )
  const publish = Effect.fnUntraced(function* (snapshot: RegistrySnapshot) {
    const before = yield* Ref.getAndSet(present, snapshot)
    yield* report(snapshot.problems, before === snapshot ? [] : before.problems, isOwn)
    yield* PubSub.publish(news, snapshot)
  })
  yield* publish(first)
  const registry = ClusterRegistry.of({ snapshot: Ref.get(present), changes: Stream.fromPubSub(news) })
  return { registry, publish }
})

/** Logs what is new, so that a lasting problem is not logged at every change, and what is over. */
const report = Effect.fnUntraced(function* (
  problems: ReadonlyArray<RegistryProblem>,
  before: ReadonlyArray<RegistryProblem>,
  isOwn: (problem: RegistryProblem) => boolean
) {
  const known = new Set(before.map((problem) => JSON.stringify(problem)))
  for (const problem of problems.filter(isOwn)) {
    if (known.has(JSON.stringify(problem))) continue
    const { code, message, severity, source } = problem
    yield* Effect.logWarning(`cluster source: ${source}: ${message}`).pipe(Effect.annotateLogs({ code, severity }))
  }
  const troubled = new Set(problems.map(({ source }) => source))
  for (const source of new Set(before.filter(isOwn).map((problem) => problem.source))) {
    if (!troubled.has(source)) yield* Effect.logInfo(`cluster source: ${source}: is in order again`)
  }
  for (const code of new Set([...before, ...problems].map((problem) => problem.code))) {
    const count = problems.filter((problem) => problem.code === code).length
    yield* Metric.update(Metric.withAttributes(problemGauge, { code }), count)
  }
})
