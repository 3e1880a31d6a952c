/**
 * A usage source for Prometheus and compatible servers: Thanos, Mimir, VictoriaMetrics.
 *
 * It needs the kubelets' cAdvisor metrics. For requests and past hours it also needs kube-state-metrics 2.0 or later, scraped
 * with `honor_labels`.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Effect, Redacted } from "effect"
import type { HttpClient } from "effect/http"
import type { Hourly } from "./UsageSource.ts"
import * as Client from "./prometheus/Client.ts"
import * as GpuNames from "./prometheus/GpuNames.ts"
import * as HistoricalHours from "./prometheus/HistoricalHours.ts"
import * as Promql from "./prometheus/Promql.ts"
import * as UsageOfHour from "./prometheus/UsageOfHour.ts"
import { InvalidUsageSetting, parseAddress } from "./UsageSetting.ts"

/** The label that identifies a cluster's series on a server with several clusters. */
export interface ClusterLabel {
  /** Name of the label, such as `cluster`. */
  readonly name: string
  /** Returns the label's value for a cluster; the cluster's name by default. */
  readonly value?: (cluster: ClusterName) => string
}

export interface PrometheusOptions extends Omit<Client.ClientOptions, "url"> {
  /** The address before `/api/v1/query`. It may contain credentials, which are removed and never shown. */
  readonly url: string | Redacted.Redacted
  /** Without it, all series of the server belong to the cluster. */
  readonly clusterLabel?: ClusterLabel
  /** Extended resources that count as GPUs, such as `google.com/tpu`. None by default. */
  readonly accelerators?: ReadonlyArray<string>
}

const LABEL_NAME = /^[a-zA-Z_][a-zA-Z0-9_]*$/

/**
 * Creates the source.
 *
 * **Errors** `InvalidUsageSetting` if `url` or `clusterLabel.name` is invalid. Calls fail with `UsageError`.
 *
 * **Limits** eight queries per hour, two at a time, each limited in time and size. The server aggregates all samples. See
 * `docs/cost-model/usage.md`.
 */
export const make = Effect.fnUntraced(function* (
  options: PrometheusOptions
): Effect.fn.Return<Hourly, InvalidUsageSetting, HttpClient.HttpClient> {
  const { accelerators = [], clusterLabel, url, ...rest } = options
  const text = Redacted.isRedacted(url) ? Redacted.value(url) : url
  const address = yield* Effect.fromResult(parseAddress(text, "url"))
  if (clusterLabel !== undefined && !LABEL_NAME.test(clusterLabel.name)) {
    const problem = "must be the name of a label: letters, digits and underscores, no digit first"
    return yield* new InvalidUsageSetting({ field: "clusterLabel.name", problem })
  }
  const names = GpuNames.acceleratorNames(accelerators)
  const client = yield* Client.make({ ...rest, ...address })
  const placeOf = (cluster: ClusterName): ReadonlyArray<Promql.Matcher> =>
    clusterLabel === undefined ? [] : [Promql.is(clusterLabel.name, clusterLabel.value?.(cluster) ?? cluster)]

  return {
    _tag: "Hourly",
    hour: Effect.fn("Prometheus.hour")(function* (cluster: ClusterName, startMs: number) {
      yield* Effect.annotateCurrentSpan({ cluster, startMs })
      return yield* UsageOfHour.read(client, placeOf(cluster), cluster, startMs)
    }),
    past: (cluster, window) => HistoricalHours.hours(client, placeOf(cluster), cluster, window, names)
  }
})
