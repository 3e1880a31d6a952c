/**
 * How each addressed cluster of a cost report is now, asked in one fan-out.
 */
import { ClusterReader, type Reading } from "@quarterdeck/cluster-fanout/ClusterReader"
import type { Coverage } from "@quarterdeck/cluster-fanout/Coverage"
import { type Answer, byReading, FanOut } from "@quarterdeck/cluster-fanout/FanOut"
import type { ClusterView } from "@quarterdeck/cost/CostReport"
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import * as NamespaceFilter from "@quarterdeck/targeting/NamespaceFilter"
import type { Target } from "@quarterdeck/targeting/Target"
import { Effect } from "effect"
import { Deadlines } from "./ListPage.ts"

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

  return Effect.fn("CostViews.ask")(function* ({ clusters }: Target, namespaces: NamespaceFilter.NamespaceFilter) {
    const needsLabels = NamespaceFilter.needsLabels(namespaces)
    const timeoutMs = needsLabels ? deadlines.timeoutMs : Math.min(STATUS_WAIT_MS, deadlines.timeoutMs)
    const question = { kinds: ["Pod"], consistency: "cache", timeoutMs, needsLabels } as const
    const { ask, askNow } = byReading(reader, question, labelsOf)
    const replies = yield* fanOut.askEach(clusters, { source: "cache", timeoutMs, askNow }, ask)
    const views = new Map(
      replies.map(({ coverage, value }): [ClusterName, ClusterView] => [
        coverage.name,
        { coverage, labels: value ?? noLabels }
      ])
    )
    return (cluster: ClusterName): ClusterView => views.get(cluster) ?? { coverage: unasked(cluster), labels: noLabels }
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

const unasked = (name: ClusterName): Coverage => ({
  name,
  status: "error",
  source: "cache",
  count: 0,
  ageMs: 0,
  latencyMs: 0,
  error: { code: "cluster_removed", message: `cluster ${name} was not asked` }
})
