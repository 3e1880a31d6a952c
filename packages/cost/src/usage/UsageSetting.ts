/**
 * Parses the setting of the usage source: `metrics`, `prometheus=<url>` or `requests`.
 */
import { Redacted, Result, Schema } from "effect"

/** User and password from a URL. */
export interface Credentials {
  readonly username: string
  readonly password: Redacted.Redacted
}

/**
 * The address of a server with Prometheus' HTTP API.
 *
 * **Shape** `url` precedes `/api/v1/query`: `http` or `https`, without credentials, query, fragment and trailing slash.
 */
export interface PrometheusAddress {
  readonly url: string
  readonly credentials?: Credentials
}

export type UsageSetting =
  | { readonly _tag: "Metrics" }
  | ({ readonly _tag: "Prometheus" } & PrometheusAddress)
  | { readonly _tag: "Requests" }

/** The setting is invalid. The message omits the text of the setting, which may contain a password. */
export class InvalidUsageSetting extends Schema.TaggedError<InvalidUsageSetting>()("InvalidUsageSetting", {
  field: Schema.String,
  problem: Schema.String
}) {
  override get message(): string {
    return `${this.field}: ${this.problem}`
  }
}

const METRICS = "metrics"
const REQUESTS = "requests"
const PROMETHEUS = "prometheus="

const ALLOWED =
  "must be metrics (metrics.k8s.io of the cluster), prometheus=<url> such as prometheus=http://prometheus:9090, or requests (no usage)"

/**
 * Parses the setting. **Errors** `InvalidUsageSetting` with `field`.
 *
 * **Example**
 *
 * ```ts
 * parse("prometheus=https://reader:secret@mimir.example.org/prometheus", "cost.usage")
 * // url https://mimir.example.org/prometheus, credentials of reader
 * ```
 */
export const parse = (text: string, field = "usage"): Result.Result<UsageSetting, InvalidUsageSetting> => {
  const trimmed = text.trim()
  if (trimmed === METRICS) return Result.succeed({ _tag: "Metrics" })
  if (trimmed === REQUESTS) return Result.succeed({ _tag: "Requests" })
  if (!trimmed.startsWith(PROMETHEUS)) return Result.fail(new InvalidUsageSetting({ field, problem: ALLOWED }))
  return Result.map(parseAddress(trimmed.slice(PROMETHEUS.length), field), (address) => ({
    _tag: "Prometheus",
    ...address
  }))
}

/** Formats a setting without its credentials, so that it may be shown. */
export const print = (setting: UsageSetting): string => {
  switch (setting._tag) {
    case "Metrics":
      return METRICS
    case "Requests":
      return REQUESTS
    case "Prometheus":
      return `${PROMETHEUS}${setting.url}`
  }
}

/** Parses the address of a Prometheus, and separates its credentials. **Errors** `InvalidUsageSetting` with `field`. */
export const parseAddress = (text: string, field: string): Result.Result<PrometheusAddress, InvalidUsageSetting> => {
  const refuse = (problem: string) => Result.fail(new InvalidUsageSetting({ field, problem }))
  const url = URL.parse(text)
  if (url === null || !["http:", "https:"].includes(url.protocol)) {
    return refuse("the address of Prometheus must start with http:// or https://, such as http://prometheus:9090")
  }
  if (url.search !== "" || url.hash !== "" || /[?#]/.test(text)) {
    return refuse("the address of Prometheus must not have a query or fragment; use the part before /api/v1")
  }
  const username = decoded(url.username)
  const password = decoded(url.password)
  if (username === undefined || password === undefined) {
    return refuse("user and password in the address of Prometheus must be percent-encoded")
  }
  return Result.succeed({
    url: `${url.protocol}//${url.host}${url.pathname.replace(/\/+$/, "")}`,
    ...(username === "" && password === "" ? {} : { credentials: { username, password: Redacted.make(password) } })
  })
}

const decoded = (text: string): string | undefined =>
  Result.getOrUndefined(Result.try({ try: () => decodeURIComponent(text), catch: () => undefined }))
