/**
 * Clusters that do not answer. Their rows are from their last answer.
 */
import type { Coverage } from "../api/Shapes.ts"
import * as Quantity from "../format/Quantity.ts"
import { healthOf } from "./CoverageText.ts"
import { useState } from "react"
import { useNow } from "./useNow.ts"

/** Age of the rows of each cluster that does not answer, as text. **Example** `3 min old` */
export type LastKnown = ReadonlyMap<string, string>

const REREAD_MS = 10_000

/** Returns the clusters whose rows are old. **Units** `elapsedMs` since the coverages were read. */
export const lastKnownOf = (coverages: ReadonlyArray<Coverage>, elapsedMs: number): LastKnown =>
  new Map(
    coverages
      .filter((coverage) => healthOf(coverage) === "stale")
      .map(({ ageMs, name }) => [name, `${Quantity.duration(ageMs + elapsedMs)} old`])
  )

/**
 * Returns the clusters whose rows are old, with an age that grows. **Units** `readAtMs` milliseconds since the epoch.
 *
 * **Shape** the same object while no text changes.
 */
export const useLastKnown = (coverages: ReadonlyArray<Coverage>, readAtMs: number): LastKnown => {
  const nowMs = useNow(REREAD_MS)
  const lastKnown = lastKnownOf(coverages, Math.max(0, nowMs - readAtMs))
  const key = JSON.stringify([...lastKnown])
  const [state, setState] = useState({ key, lastKnown })
  if (state.key === key) return state.lastKnown
  setState({ key, lastKnown })
  return lastKnown
}
