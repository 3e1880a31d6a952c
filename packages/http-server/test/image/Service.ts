/**
 * Asks a service that runs elsewhere, as an HTTP client does.
 */
import { ClusterList } from "@quarterdeck/contract/ClustersGroup"
import { WorkloadList } from "@quarterdeck/contract/WorkloadsGroup"
import { WorkloadCosts } from "@quarterdeck/cost/CostRow"
import { CreatedApiKey } from "@quarterdeck/keys/ApiKey"
import { eventually } from "@quarterdeck/harness"
import { Effect, Redacted, Schema } from "effect"

/** The service answered with another status than 200 or 201. */
class Refused extends Schema.TaggedError<Refused>()("Refused", { route: Schema.String, problem: Schema.String }) {
  override get message(): string {
    return `${this.route}: ${this.problem}`
  }
}

interface Question {
  readonly target?: string
  readonly body?: object
}

/** **Shape** `key` is sent with each call. */
export const at = (url: string, key: string) => {
  const ask = (route: string, { body, target }: Question = {}) =>
    Effect.tryPromise({
      try: async (signal) => {
        const reply = await fetch(url + route, {
          signal,
          headers: {
            authorization: `Bearer ${key}`,
            ...(target === undefined ? {} : { "x-service-cluster": target }),
            ...(body === undefined ? {} : { "content-type": "application/json" })
          },
          ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) })
        })
        return { status: reply.status, text: await reply.text() }
      },
      catch: (cause) => new Refused({ route, problem: String(cause) })
    }).pipe(
      Effect.filterOrFail(
        ({ status }) => status === 200 || status === 201,
        ({ status, text }) => new Refused({ route, problem: `${status} ${text}` })
      ),
      Effect.map(({ text }) => text)
    )
  return {
    ask,
    ready: eventually("the service is ready", ask("/readyz"), () => true, { within: "60 seconds" }),
    clusters: Effect.flatMap(ask("/api/v1/clusters", { target: "*" }), decodeClusters),
    workloads: (target: string, query = "") =>
      Effect.flatMap(ask(`/api/v1/workloads${query}`, { target }), decodeWorkloads),
    /** Makes a Viewer's key, and gives its secret. */
    createKey: (name: string) =>
      ask("/api/v1/apiKeys", { body: { name, rule: { role: "Viewer" }, expire: "1d" } }).pipe(
        Effect.flatMap(decodeCreated),
        Effect.map(({ key }) => Redacted.value(key))
      ),
    costs: (query: string, body: object) =>
      Effect.flatMap(ask(`/detailedCostReport/getWorkloads${query}`, { body }), decodeCosts)
  }
}

const decodeClusters = Schema.decodeUnknownEffect(Schema.fromJsonString(ClusterList))
const decodeWorkloads = Schema.decodeUnknownEffect(Schema.fromJsonString(WorkloadList))
const decodeCreated = Schema.decodeUnknownEffect(Schema.fromJsonString(CreatedApiKey))
const decodeCosts = Schema.decodeUnknownEffect(Schema.fromJsonString(WorkloadCosts))
