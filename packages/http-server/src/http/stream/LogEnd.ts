/**
 * The reason why a followed log ended, and the last line of the log, which states the reason.
 */
import type { ActionError, ClusterError, ListError } from "@quarterdeck/cluster-fanout"
import * as Coverage from "@quarterdeck/cluster-fanout/Coverage"
import { LOG_END } from "@quarterdeck/contract/PodGroup"

/** The reason why a log ends. **Shape** `detail` is present if the code alone is not enough. */
export interface LogEnd {
  readonly code: string
  readonly detail?: string
}

const WORDS: Readonly<Record<string, string>> = {
  container_ended: "the container has ended, or its log was rotated",
  time_limit: "a log can be followed for one hour",
  too_slow: "the client read nothing for one minute",
  server_stopping: "the service is stopping",
  namespace_forbidden: "the key no longer reaches the namespace"
}

/** Returns why a log ends after an error of its cluster. */
export const fromLog = (error: ClusterError.ClusterError | ActionError.LogsUnavailable): LogEnd =>
  error._tag === "LogsUnavailable"
    ? { code: "logs_unavailable", detail: error.message }
    : { code: Coverage.codeOf(error), detail: Coverage.problemOf(error).message }

/** Returns why a log ends after its key has lost access. */
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
 * Prints the last line of a log, which states why the log ends.
 *
 * **Example** `quarterdeck: the log ends here: time_limit: a log can be followed for one hour`
 */
export const print = ({ code, detail = WORDS[code] ?? "the key may no longer read the log" }: LogEnd): string =>
  `${LOG_END}${code}: ${detail}`
