/** A plain HTTP client of the demo's server. */
import { ClusterList } from "@quarterdeck/contract/ClustersGroup"
import { PodList } from "@quarterdeck/contract/PodsGroup"
import { ActionResult } from "@quarterdeck/contract/WorkloadGroup"
import { WorkloadList } from "@quarterdeck/contract/WorkloadsGroup"
import { AggregatedCosts } from "@quarterdeck/cost/Aggregate"
import { WorkloadCosts } from "@quarterdeck/cost/CostRow"
import { CreatedApiKey } from "@quarterdeck/keys/ApiKey"
import type { Rule } from "@quarterdeck/keys/Rule"
import { Effect, Redacted, Schedule, Schema } from "effect"

/** The server did not respond as expected. */
export class DemoFailed extends Schema.TaggedError<DemoFailed>()("DemoFailed", { problem: Schema.String }) {
  override get message(): string {
    return this.problem
  }
}

interface Call {
  readonly method?: "POST"
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

const send = (url: string, key: string | undefined, call: Call = {}) =>
  Effect.tryPromise({
    try: async (signal) => {
      const response = await fetch(url, {
        ...call,
        signal,
        headers: { ...call.headers, ...(key === undefined ? {} : { authorization: `Bearer ${key}` }) }
      })
      return { ok: response.ok, text: await response.text() }
    },
    catch: () => new DemoFailed({ problem: `${url} cannot be reached` })
  }).pipe(
    Effect.filterOrFail(
      ({ ok }) => ok,
      ({ text }) => new DemoFailed({ problem: `${url} answered ${text}` })
    ),
    Effect.map(({ text }) => text)
  )

const decode = <S extends Schema.ConstraintDecoder<unknown>>(schema: S) => {
  const decodeText = Schema.decodeUnknownEffect(Schema.fromJsonString(schema))
  return (text: string) => decodeText(text).pipe(Effect.mapError(({ message }) => new DemoFailed({ problem: message })))
}

const decodeClusters = decode(ClusterList)
const decodeWorkloads = decode(WorkloadList)
const decodePods = decode(PodList)
const decodeAction = decode(ActionResult)
const decodeCreated = decode(CreatedApiKey)
const decodeCosts = decode(WorkloadCosts)
const decodeGroups = decode(AggregatedCosts)

const asJson = (body: object): Call => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body)
})

export const DemoClient = {
  make: (url: string) => ({
    /** Waits until every cluster has synced. */
    ready: send(`${url}/readyz`, undefined).pipe(
      Effect.retry({ schedule: Schedule.spaced("20 millis"), times: 500 }),
      Effect.asVoid
    ),
    createKey: (admin: string, name: string, rule: typeof Rule.Encoded) =>
      send(`${url}/api/v1/apiKeys`, admin, asJson({ name, rule, expire: "30d" })).pipe(
        Effect.flatMap(decodeCreated),
        Effect.map(({ key }) => Redacted.value(key))
      ),
    clusters: (key: string) => Effect.flatMap(send(`${url}/api/v1/clusters`, key), decodeClusters),
    workloads: (key: string, target: string, query: string) =>
      Effect.flatMap(
        send(`${url}/api/v1/workloads?${query}`, key, { headers: { "x-service-cluster": target } }),
        decodeWorkloads
      ),
    pods: (key: string, target: string, query: string) =>
      Effect.flatMap(
        send(`${url}/api/v1/pods?${query}`, key, { headers: { "x-service-cluster": target } }),
        decodePods
      ),
    act: (key: string, path: string, body: object) =>
      Effect.flatMap(send(`${url}${path}`, key, asJson(body)), decodeAction),
    costs: (key: string, path: string, body: object) =>
      Effect.flatMap(send(`${url}${path}`, key, asJson(body)), decodeCosts),
    costGroups: (key: string, path: string, body: object) =>
      Effect.flatMap(send(`${url}${path}`, key, asJson(body)), decodeGroups)
  })
}
