/**
 * Who is charged for the traffic of pods, of which sources know no more than the name.
 */
import type { Egress, PodFacts } from "../allocation/HourFacts.ts"
import type { PodEgress } from "./UsageSource.ts"
import { between } from "../allocation/Accrual.ts"
import { fromSpans, secondsIn, type Intervals } from "../allocation/Intervals.ts"

/** A pod, and when its containers ran in the hour. */
interface Ran {
  readonly pod: PodFacts
  readonly runs: Intervals
}

/**
 * Gives pods the traffic that was told under their names.
 *
 * Pods that follow each other under one name share it by the seconds that they ran in the hour, so their parts
 * come to what was told, to a whole KiB; where none of them ran, the first by its uid has all. What was told under the name
 * of no pod is left out. The order of pods stays, and changes nothing.
 */
export const withEgress = (
  pods: ReadonlyArray<PodFacts>,
  told: ReadonlyArray<PodEgress>,
  startMs: number
): ReadonlyArray<PodFacts> => {
  if (told.length === 0) return pods
  const byName = Map.groupBy(pods, keyOf)
  const parts = new Map<PodFacts, Egress>()
  for (const { egress, namespace, pod } of told) {
    const [first, ...others] = byName.get(`${namespace}/${pod}`) ?? []
    if (first === undefined) continue
    if (others.length === 0) parts.set(first, egress)
    else for (const [one, part] of partsOf([first, ...others], egress, startMs)) parts.set(one, part)
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
