/**
 * How each addressed cluster of a cost report is now, asked in one fan-out.
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
 * How long a report waits for a cluster that has not been read yet. **Units** milliseconds.
 *
 * Costs come from the history whatever the cluster says: only a key's own labels are worth the whole deadline.
 */
const STATUS_WAIT_MS = 250

/**
 * Makes the question.
 *
 * **Shape** costs come from the history, so nothing is read of a cluster but whether it answers, whether its pods can be
 * seen, which is what costs are made of, and for a key that selects namespaces by label, their labels.
 *
 * **Limits** cached; ends within {@link STATUS_WAIT_MS}, for labels within the default deadline of a fan-out.
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

/** The coverage of a history whose cluster left. **Units** `ageMs` since its last hour ended, which may be the present one. */
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
  error: { code: "cluster_removed", message: `cluster ${name} was not asked` }
})
