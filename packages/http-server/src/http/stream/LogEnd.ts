/**
 * Why a log that was followed ended, and the line that says so.
 */
import type { ActionError, ClusterError, ListError } from "@quarterdeck/cluster-fanout"
import * as Coverage from "@quarterdeck/cluster-fanout/Coverage"
import { LOG_END } from "@quarterdeck/contract/PodGroup"

/** Why a log ends; `detail` is present where the code alone does not say all. */
export interface LogEnd {
  readonly code: string
  readonly detail?: string
}

const WORDS: Readonly<Record<string, string>> = {
  container_ended: "the container writes no more, or its log was rotated",
  time_limit: "a log is followed for an hour",
  too_slow: "the reader took nothing of it for a minute",
  server_stopping: "the service stops",
  namespace_forbidden: "the key does not reach the namespace any more"
}

/** Tells why the cluster gives no more. */
export const fromLog = (error: ClusterError.ClusterError | ActionError.LogsUnavailable): LogEnd =>
  error._tag === "LogsUnavailable"
    ? { code: "logs_unavailable", detail: error.message }
    : { code: Coverage.codeOf(error), detail: Coverage.problemOf(error).message }

/** Tells why the key does not reach the log any more. */
export const fromReach = (
  error: ActionError.ClusterDropped | ListError.FanOutFailed | ListError.NamespaceForbidden
): LogEnd => {
  switch (error._tag) {
    case "ClusterDropped":
      return { code: "cluster_not_found", detail: error.message }
    case "NamespaceForbidden":
      return { code: "namespace_forbidden" }
    case "FanOutFailed":
      return { code: error.code }
  }
}

/**
 * Writes the last line of a log, which says why it ends.
 *
 * **Example** `quarterdeck: the log ends here: time_limit: a log is followed for an hour`
 */
export const print = ({ code, detail = WORDS[code] ?? "the key may not read it any more" }: LogEnd): string =>
  `${LOG_END}${code}: ${detail}`
