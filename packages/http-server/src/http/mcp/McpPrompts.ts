/**
 * Prompts that a client offers to its user. Each says which tools to call, and in which order.
 */
import { Effect, Layer, Schema } from "effect"
import { McpServer } from "effect/ai"

const cluster = Schema.optionalKey(
  Schema.String.annotate({ description: "Name of one cluster. Default: all clusters that the key reaches." })
)
const range = Schema.optionalKey(
  Schema.String.annotate({ description: "How far back to look, such as 7d, 24h or 4w. Default: 14d." })
)

const targetOf = (name: string | undefined): string => JSON.stringify([name ?? "*"])

const CAREFUL =
  "If an answer has `partial` true, name the clusters in `coverage.notWell` and say that the figures do not fully include them. Give figures with their units and their range. Do not guess anything that no tool returned."

/** Registers the prompts. */
export const layer = Layer.mergeAll(
  McpServer.prompt({
    name: "why_did_cost_rise",
    title: "Why did cost rise?",
    description: "Finds the workloads that raised the bill, and whether usage, size, replicas or prices caused it.",
    parameters: { cluster, range },
    content: (asked) =>
      Effect.succeed(
        [
          "Find out why costs rose.",
          `1. Call cost_by_group with clusters ${targetOf(asked.cluster)}, groupBy ["cluster","namespace"], stepSize "day" and range "${asked.range ?? "14d"}". Compare the later steps with the earlier ones; leave out steps whose clusters were seen for fewer hours. The most expensive groups come first, but a growing group may be cheap: follow nextCursor to the end.`,
          `2. For the namespaces that grew most call cost_by_group with groupBy ["cluster","namespace","kind","workload"], namespaces set to them, and the same range and stepSize; follow nextCursor to the end.`,
          "3. For the two or three workloads that grew most call explain_cost with their id (cluster/namespace/kind/name), once with from and to around a day before the rise and once around a day after it (no range), and compare the quantities and prices of their hours.",
          "4. For each workload, say how much its cost rose, since when, and whether quantities (replicas, CPU, memory, GPU, storage, traffic) or prices changed.",
          CAREFUL
        ].join("\n")
      )
  }),
  McpServer.prompt({
    name: "what_is_unhealthy",
    title: "What is unhealthy?",
    description: "Lists clusters that do not answer and workloads that are degraded or stuck.",
    parameters: { cluster },
    content: (asked) =>
      Effect.succeed(
        [
          "Find out what is unhealthy.",
          `1. Call list_clusters${asked.cluster === undefined ? "" : ` with clusters ${targetOf(asked.cluster)}`}. Name the clusters that are not reachable, with their errorCode.`,
          `2. Call list_workloads with clusters ${targetOf(asked.cluster)}, sort "status" and order "asc": rows come as completed, degraded, failed, healthy. Follow nextCursor until a row is healthy or no row is left, and keep the rows that are degraded or failed. Then call it once more with order "desc" for rows that are still progressing, which come first.`,
          "3. Group what you found by cluster and namespace: kind, name, status, replicas ready of desired, images.",
          CAREFUL
        ].join("\n")
      )
  }),
  McpServer.prompt({
    name: "what_can_we_save",
    title: "What can we save?",
    description: "Ranks workloads by possible savings, with the requests to set.",
    parameters: { cluster, range },
    content: (asked) =>
      Effect.succeed(
        [
          "Find out how much could be saved.",
          `1. Call cost_by_workload with clusters ${targetOf(asked.cluster)} and range "${asked.range ?? "14d"}". Follow nextCursor until savingsAvailable of the rows is small against totals.savingsAvailable.`,
          "2. Rank the rows by savingsAvailable. Leave out rows whose recommendationDays is 0: they have no recommendation yet. A costIncrease above 0 means that the workload needs more than it requests: name it, and do not lower that resource.",
          `3. Call cost_by_group with clusters ${targetOf(asked.cluster)}, the same range, groupBy ["cluster"] and idle "show" for the idle capacity of machines. If that is refused, say that the key may not see idle costs.`,
          "4. For each workload, say what it costs, what could be saved over the range, its efficiency, and cpuRecommendedMillis and memoryRecommendedBytes of one replica as requests to set.",
          CAREFUL
        ].join("\n")
      )
  })
)
