/**
 * Usage as Prometheus keeps it, or what speaks its language: Thanos, Mimir, VictoriaMetrics.
 *
 * It needs the metrics of the kubelets' cAdvisor, and those of kube-state-metrics (2.0 or later, its labels kept by
 * `honor_labels`) for requests and for the past.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Effect, Redacted } from "effect"
import type { HttpClient } from "effect/http"
import type { Hourly } from "./UsageSource.ts"
import * as Client from "./prometheus/Client.ts"
import * as GpuNames from "./prometheus/GpuNames.ts"
import * as Past from "./prometheus/Past.ts"
import * as Promql from "./prometheus/Promql.ts"
import * as UsageOfHour from "./prometheus/UsageOfHour.ts"
import { InvalidUsageSetting, parseAddress } from "./UsageSetting.ts"

/** Tells the series of one cluster from others in the same place. */
export interface ClusterLabel {
  /** The name of the label, such as `cluster`. */
  readonly name: string
  /** The label's value for a cluster; its own name unless given. */
  readonly value?: (cluster: ClusterName) => string
}

export interface PrometheusOptions extends Omit<Client.ClientOptions, "url"> {
  /** What comes before `/api/v1/query`. Credentials may stand in it; they are taken out and never shown. */
  readonly url: string | Redacted.Redacted
  /** Unless given, all that the server has is taken for the cluster's. */
  readonly clusterLabel?: ClusterLabel
  /** Extended resources that count as GPUs, such as `google.com/tpu`. None unless given. */
  readonly accelerators?: ReadonlyArray<string>
}

const LABEL_NAME = /^[a-zA-Z_][a-zA-Z0-9_]*$/

/**
 * Makes the source.
 *
 * **Errors** `InvalidUsageSetting` when `url` is none or `clusterLabel.name` cannot be a label; later `UsageError`.
 *
 * **Limits** an hour is eight questions, two at a time, each bounded in time and size; samples are put together by the
 * server, never here. See `docs/cost-model/usage.md`.
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
    past: (cluster, window) => Past.hours(client, placeOf(cluster), cluster, window, names)
  }
})
