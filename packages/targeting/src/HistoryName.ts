/**
 * The name of one cost history: a cluster's own name, or a dated one once that name belongs to another cluster.
 */
import { Schema } from "effect"
import * as ClusterName from "./ClusterName.ts"

const RENAMED =
  /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,251}[A-Za-z0-9])?@\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?:\.(?:[2-9]|[1-9]\d))?$/u

/**
 * Names the past of a cluster whose name belongs to another cluster now.
 *
 * **Shape** `<name>@<yyyy-mm-dd>`, the day that its figures end; `.2` and so on follow where several end on one day. No
 * cluster can be registered under such a name.
 */
export const RenamedHistory = Schema.String.check(
  Schema.isPattern(RENAMED, { expected: "a cluster name and a day: <name>@<yyyy-mm-dd>" })
).pipe(Schema.brand("RenamedHistory"))
export type RenamedHistory = typeof RenamedHistory.Type

const isRenamed = (text: string): text is RenamedHistory => RENAMED.test(text)

/** Names one cost history. **Shape** a cluster's name, or `<name>@<yyyy-mm-dd>`. */
export type HistoryName = ClusterName.ClusterName | RenamedHistory

/** Tells whether a text is the name of a history. */
export const is = (text: string): text is HistoryName => ClusterName.is(text) || isRenamed(text)

const HISTORY =
  /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,251}[A-Za-z0-9])?(?:@\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?:\.(?:[2-9]|[1-9]\d))?)?$/u

/** Decodes the name of a history. **Shape** one pattern, so that documents of the interface show it. */
export const HistoryName = Schema.String.check(
  Schema.isPattern(HISTORY, { expected: "a cluster name, or such a name and a day: <name>@<yyyy-mm-dd>" })
).pipe(Schema.refine(is))

/**
 * Makes the name under which a history is kept once its name belongs to another cluster.
 *
 * **Shape** `undefined` after the 99th of one name and day.
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

/** Returns the name that the cluster of a history had. */
export const clusterOf = (name: HistoryName): ClusterName.ClusterName => {
  const at = name.indexOf("@")
  const cluster = at < 0 ? name : name.slice(0, at)
  return ClusterName.is(cluster) ? cluster : ClusterName.ClusterName.make(cluster)
}
