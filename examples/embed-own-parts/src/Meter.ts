/**
 * What the platform has metered of its clusters, hour by hour.
 */
import { HourFacts, UsageError, UsageSource } from "@quarterdeck/cost"
import { Effect, Stream } from "effect"

export class Meter {
  readonly #hours = new Map<string, Map<number, HourFacts.HourFacts>>()

  /** Notes an hour that is over, with everything that was seen of it. */
  record(hour: HourFacts.HourFacts): void {
    const hours = this.#hours.get(hour.cluster) ?? new Map<number, HourFacts.HourFacts>()
    this.#hours.set(hour.cluster, hours.set(hour.startMs, hour))
  }

  /** The port, for Quarterdeck: asked for each hour once it is over, and for the past as the service starts. */
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

/** Takes out of an hour what its containers used, and what left its pods. */
const usageOf = ({ pods }: HourFacts.HourFacts): UsageSource.HourOfUsage => ({
  containers: pods.flatMap(({ containers, name: pod, namespace }) =>
    containers.flatMap(({ name: container, usage: slices }) =>
      slices === undefined ? [] : [{ namespace, pod, container, slices }]
    )
  ),
  egress: pods.flatMap(({ egress, name: pod, namespace }) => (egress === undefined ? [] : [{ namespace, pod, egress }]))
})
