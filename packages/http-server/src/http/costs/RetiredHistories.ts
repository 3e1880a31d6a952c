/**
 * Cost histories of removed clusters that a caller may see.
 */
import { ClusterRegistry } from "@quarterdeck/cluster-fanout/ClusterRegistry"
import { CostHistories } from "@quarterdeck/cost/CostHistories"
import { CostSampler } from "@quarterdeck/cost/CostSampler"
import * as Range from "@quarterdeck/cost/Range"
import * as Units from "@quarterdeck/cost/Units"
import { Principal } from "@quarterdeck/keys/Principal"
import * as Rule from "@quarterdeck/keys/Rule"
import type { HistoryName } from "@quarterdeck/targeting/HistoryName"
import * as NamespaceFilter from "@quarterdeck/targeting/NamespaceFilter"
import * as Target from "@quarterdeck/targeting/Target"
import { Effect } from "effect"

/** The end of each history. **Units** milliseconds since the epoch. */
export type Retired = ReadonlyMap<HistoryName, number>

/**
 * Makes the function that finds histories with costs in a range and without a registered cluster of their name.
 *
 * A key whose rule selects namespaces by label sees none, because a removed cluster has no current labels. A key with a
 * cluster scope sees histories under the names in its scope, but no history that was renamed to `<name>@<date>`.
 *
 * **Limits** reads the store at most once a minute.
 */
export const make = Effect.gen(function* () {
  const histories = yield* CostHistories
  const registry = yield* ClusterRegistry
  const sampler = yield* CostSampler

  return Effect.fn("RetiredHistories.find")(function* (range: Range.Range) {
    const { rule } = yield* Principal
    const found = new Map<HistoryName, number>()
    if (NamespaceFilter.needsLabels(Rule.namespaceFilter(rule))) return found
    const scope = Rule.clusterScope(rule)
    const registered = new Set<HistoryName>((yield* registry.snapshot).clusters.map(({ name }) => name))
    const window = Range.hoursOf(range)
    const add = (name: HistoryName, toMs: number) => {
      if (!registered.has(name) && Target.reaches(scope, name)) found.set(name, toMs)
    }
    for (const { name, toMs } of yield* histories.within(window)) add(name, toMs)
    // The last hour of a cluster that has just been removed is stored only when the hour ends.
    for (const { key, toMs } of yield* sampler.unclosed) {
      if (toMs > window.startMs && Units.hourOf(toMs) < window.endMs) add(histories.nameOf(key), toMs)
    }
    return found
  })
})
