/**
 * Assigns egress to pods. Sources know only the names of pods.
 */
import type { Egress, PodFacts } from "../allocation/HourFacts.ts"
import type { PodEgress } from "./UsageSource.ts"
import { between } from "../allocation/Accrual.ts"
import { fromSpans, secondsIn, type Intervals } from "../allocation/Intervals.ts"

/** A pod, and the run times of its containers. */
interface Ran {
  readonly pod: PodFacts
  readonly runs: Intervals
}

/**
 * Returns the pods with the egress that was measured under their names.
 *
 * Successive pods of the same name share the egress by their seconds of run time, in whole KiB that add up exactly. If none of
 * these pods ran, the first by UID takes all. Egress of unknown pods is ignored. The order of pods does not matter.
 */
export const withEgress = (
  pods: ReadonlyArray<PodFacts>,
  egresses: ReadonlyArray<PodEgress>,
  startMs: number
): ReadonlyArray<PodFacts> => {
  if (egresses.length === 0) return pods
  const byName = Map.groupBy(pods, keyOf)
  const parts = new Map<PodFacts, Egress>()
  for (const { egress, namespace, pod } of egresses) {
    const [first, ...others] = byName.get(`${namespace}/${pod}`) ?? []
    if (first === undefined) continue
    if (others.length === 0) parts.set(first, egress)
    else for (const [sharing, part] of partsOf([first, ...others], egress, startMs)) parts.set(sharing, part)
  }
  return pods.map((pod) => {
    const egress = parts.get(pod)
    return egress === undefined ? pod : { ...pod, egress }
  })
}

const keyOf = ({ name, namespace }: PodFacts): string => `${namespace}/${name}`

const partsOf = (
  pods: ReadonlyArray<PodFacts>,
  { internetKib, regionKib, zoneKib }: Egress,
  startMs: number
): ReadonlyArray<readonly [PodFacts, Egress]> => {
  const ran = pods
    .map((pod): Ran => ({
      pod,
      runs: fromSpans(
        pod.containers.flatMap(({ runs }) => runs),
        startMs
      )
    }))
    .toSorted((one, other) => (one.pod.uid < other.pod.uid ? -1 : 1))
  const total = ran.reduce((sum, { runs }) => sum + secondsIn(runs), 0)
  const [first] = ran
  if (first !== undefined && total === 0) return [[first.pod, { internetKib, regionKib, zoneKib }]]
  let before = 0
  return ran.flatMap(({ pod, runs }): ReadonlyArray<readonly [PodFacts, Egress]> => {
    const from = before
    before += secondsIn(runs)
    if (before === from) return []
    const partOf = (kib: number): number => between(kib / total, from, before)
    return [[pod, { zoneKib: partOf(zoneKib), regionKib: partOf(regionKib), internetKib: partOf(internetKib) }]]
  })
}
