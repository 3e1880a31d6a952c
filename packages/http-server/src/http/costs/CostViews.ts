/**
 * Current status of each addressed cluster of a cost report, read in one fan-out.
 */
import { ClusterReader, type Reading } from "@quarterdeck/cluster-fanout/ClusterReader"
import type { Coverage } from "@quarterdeck/cluster-fanout/Coverage"
import { type Answer, byReading, FanOut } from "@quarterdeck/cluster-fanout/FanOut"
import type { ClusterView } from "@quarterdeck/cost/CostReport"
import { type ClusterName, is } from "@quarterdeck/targeting/ClusterName"
import type { HistoryName } from "@quarterdeck/targeting/HistoryName"
import * as NamespaceFilter from "@quarterdeck/targeting/NamespaceFilter"
import type { Target } from "@quarterdeck/targeting/Target"
import { Clock, Effect } from "effect"
import { Deadlines } from "../lists/ListPage.ts"
import type { Retired } from "./RetiredHistories.ts"

type Labels = ClusterView["labels"]

/**
 * Maximum time that a report waits for a cluster that has not synced. **Units** milliseconds.
 *
 * A report needs the status only for its coverage, since costs come from the history. A rule with labels needs the labels
 * of namespaces, so the report then waits for the whole deadline.
 */
const STATUS_WAIT_MS = 250

/**
 * Makes the function that reads the clusters.
 *
 * **Shape** reads from each cluster whether it answers and whether its pods are readable, because pods are the source of
 * costs. If the key selects namespaces by label, also reads the labels of namespaces.
 *
 * **Limits** reads from the cache. Takes at most {@link STATUS_WAIT_MS}, or the default fan-out deadline to read labels.
 */
export const make = Effect.gen(function* () {
  const fanOut = yield* FanOut
  const reader = yield* ClusterReader
  const deadlines = yield* Deadlines

  return Effect.fn("CostViews.ask")(function* (
    { clusters }: Target<HistoryName>,
    namespaces: NamespaceFilter.NamespaceFilter,
    retired: Retired
  ) {
    const nowMs = yield* Clock.currentTimeMillis
    const asked = clusters.filter((name): name is ClusterName => is(name) && !retired.has(name))
    const needsLabels = NamespaceFilter.needsLabels(namespaces)
    const timeoutMs = needsLabels ? deadlines.timeoutMs : Math.min(STATUS_WAIT_MS, deadlines.timeoutMs)
    const question = { kinds: ["Pod"], consistency: "cache", timeoutMs, needsLabels } as const
    const { ask, askNow } = byReading(reader, question, labelsOf)
    const replies = yield* fanOut.askEach(asked, { source: "cache", timeoutMs, askNow }, ask)
    const views = new Map(
      replies.map(({ coverage, value }): [HistoryName, ClusterView] => [
        coverage.name,
        { coverage, labels: value ?? noLabels }
      ])
    )
    return (name: HistoryName): ClusterView => {
      const endMs = retired.get(name)
      if (endMs !== undefined || !is(name)) return { coverage: left(name, nowMs - (endMs ?? nowMs)), labels: noLabels }
      return views.get(name) ?? { coverage: unasked(name), labels: noLabels }
    }
  })
})

const labelsOf = ({ ageMs, isStale, labels, missingKinds, staleCause }: Reading): Answer<Labels> => ({
  value: labels,
  count: 0,
  ageMs,
  isStale,
  staleCause,
  missingKinds
})

const noLabels: Labels = () => undefined

/**
 * Returns the coverage of the history of a removed cluster. **Units** `ageMs` since the end of its last hour, 0 if that is
 * the current hour.
 */
const left = (name: HistoryName, ageMs: number): ClusterView["coverage"] => ({
  name,
  status: "retired",
  source: "cache",
  count: 0,
  ageMs: Math.max(0, ageMs),
  latencyMs: 0
})

const unasked = (name: ClusterName): Coverage => ({
  name,
  status: "error",
  source: "cache",
  count: 0,
  ageMs: 0,
  latencyMs: 0,
  error: { code: "cluster_removed", message: `cluster ${name} is no longer registered` }
})
