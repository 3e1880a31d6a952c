/** Stores the current snapshot of a registry, publishes changes, and reports problems. */
import { Effect, Metric, PubSub, Ref, Stream } from "effect"
import { ClusterRegistry, type RegistryProblem, type RegistrySnapshot } from "./ClusterRegistry.ts"

const problemGauge = Metric.gauge("quarterdeck_registry_problems", {
  description: "Problems with entries of the cluster sources, by code; an entry with an error was rejected"
})

/**
 * Makes a registry that returns a snapshot until the next one is published.
 *
 * **Shape** `isOwn` selects the problems to log here. Problems of an underlying registry are logged by that registry.
 */
export const make = Effect.fnUntraced(function* (
  first: RegistrySnapshot,
  isOwn: (problem: RegistryProblem) => boolean = () => true
) {
  const present = yield* Ref.make(first)
  // A slow listener needs only the latest snapshot: one slot.
  const published = yield* Effect.acquireRelease(
    PubSub.sliding<RegistrySnapshot>({ capacity: 1, replay: 1 }),
    PubSub.shutdown
  )
  const publish = Effect.fnUntraced(function* (snapshot: RegistrySnapshot) {
    const before = yield* Ref.getAndSet(present, snapshot)
    yield* report(snapshot.problems, before === snapshot ? [] : before.problems, isOwn)
    yield* PubSub.publish(published, snapshot)
  })
  yield* publish(first)
  const registry = ClusterRegistry.of({ snapshot: Ref.get(present), changes: Stream.fromPubSub(published) })
  return { registry, publish }
})

/** Logs new and resolved problems, so that a lasting problem is not logged at every change. */
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
  const sourcesWithProblems = new Set(problems.map(({ source }) => source))
  for (const source of new Set(before.filter(isOwn).map((problem) => problem.source))) {
    if (!sourcesWithProblems.has(source)) yield* Effect.logInfo(`cluster source: ${source}: has no problems any more`)
  }
  for (const code of new Set([...before, ...problems].map((problem) => problem.code))) {
    const count = problems.filter((problem) => problem.code === code).length
    yield* Metric.update(Metric.withAttributes(problemGauge, { code }), count)
  }
})
