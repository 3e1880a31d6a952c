/**
 * The name of one cost history: a cluster's name, or a dated name after another cluster took the name over.
 */
import { Schema } from "effect"
import * as ClusterName from "./ClusterName.ts"

const RENAMED =
  /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,251}[A-Za-z0-9])?@\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?:\.(?:[2-9]|[1-9]\d))?$/u

/**
 * Name of the cost history of a former cluster whose name now belongs to another cluster.
 *
 * **Shape** `<name>@<yyyy-mm-dd>`, the day on which the history ends. If several histories of one name end on that day,
 * `.2`, `.3` and so on are appended. No cluster can be registered under such a name.
 */
export const RenamedHistory = Schema.String.check(
  Schema.isPattern(RENAMED, { expected: "a cluster name and a day: <name>@<yyyy-mm-dd>" })
).pipe(Schema.brand("RenamedHistory"))
export type RenamedHistory = typeof RenamedHistory.Type

const isRenamed = (text: string): text is RenamedHistory => RENAMED.test(text)

/** Name of one cost history. **Shape** a cluster's name, or `<name>@<yyyy-mm-dd>`. */
export type HistoryName = ClusterName.ClusterName | RenamedHistory

/** Returns whether a text is the name of a cost history. */
export const is = (text: string): text is HistoryName => ClusterName.is(text) || isRenamed(text)

const HISTORY =
  /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,251}[A-Za-z0-9])?(?:@\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?:\.(?:[2-9]|[1-9]\d))?)?$/u

/** Schema of the name of a cost history. **Shape** a single pattern, so that the OpenAPI document contains it. */
export const HistoryName = Schema.String.check(
  Schema.isPattern(HISTORY, { expected: "a cluster name, or a cluster name and a day: <name>@<yyyy-mm-dd>" })
).pipe(Schema.refine(is))

/**
 * Makes the dated name of a history after another cluster took the name over.
 *
 * **Shape** `undefined` after the 99th history of one name and day.
 *
 * **Limits** at most 99 candidates.
 */
export const renamed = (
  cluster: ClusterName.ClusterName,
  endMs: number,
  isTaken: (name: RenamedHistory) => boolean
): RenamedHistory | undefined => {
  const day = new Date(endMs).toISOString().slice(0, 10)
  for (let count = 1; count <= 99; count++) {
    const name = `${cluster}@${day}${count === 1 ? "" : `.${count}`}`
    if (isRenamed(name) && !isTaken(name)) return name
  }
  return undefined
}

/** Returns the cluster name in the name of a cost history. */
export const clusterOf = (name: HistoryName): ClusterName.ClusterName => {
  const at = name.indexOf("@")
  const cluster = at < 0 ? name : name.slice(0, at)
  return ClusterName.is(cluster) ? cluster : ClusterName.ClusterName.make(cluster)
}
