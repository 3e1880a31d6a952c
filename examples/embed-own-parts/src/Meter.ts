/** Hourly usage that the platform has metered in its clusters. */
import { HourFacts, UsageError, UsageSource } from "@quarterdeck/cost"
import { Effect, Stream } from "effect"

export class Meter {
  readonly #hours = new Map<string, Map<number, HourFacts.HourFacts>>()

  /** Records a completed hour with all its facts. */
  record(hour: HourFacts.HourFacts): void {
    const hours = this.#hours.get(hour.cluster) ?? new Map<number, HourFacts.HourFacts>()
    this.#hours.set(hour.cluster, hours.set(hour.startMs, hour))
  }

  /**
   * The usage source for Quarterdeck. It is queried for each hour once that is over, and for past hours at the start.
   */
  readonly source: UsageSource.Hourly = {
    _tag: "Hourly",
    hour: (cluster, startMs) =>
      Effect.suspend(() => {
        const hour = this.#hours.get(cluster)?.get(startMs)
        if (hour !== undefined) return Effect.succeed(usageOf(hour))
        const problem = `${new Date(startMs).toISOString()} is not metered yet`
        return Effect.fail(new UsageError.UsageError({ cluster, source: "the platform's meter", problem }))
      }),
    past: (cluster, { endMs, startMs }) =>
      Stream.suspend(() =>
        Stream.fromIterable(
          [...(this.#hours.get(cluster)?.values() ?? [])]
            .filter((hour) => startMs <= hour.startMs && hour.startMs < endMs)
            .toSorted((a, b) => a.startMs - b.startMs)
        )
      )
  }
}

/** Returns the containers' usage and the pods' egress of an hour. */
const usageOf = ({ pods }: HourFacts.HourFacts): UsageSource.HourOfUsage => ({
  containers: pods.flatMap(({ containers, name: pod, namespace }) =>
    containers.flatMap(({ name: container, usage: slices }) =>
      slices === undefined ? [] : [{ namespace, pod, container, slices }]
    )
  ),
  egress: pods.flatMap(({ egress, name: pod, namespace }) => (egress === undefined ? [] : [{ namespace, pod, egress }]))
})
