/**
 * The setting that says where usage comes from: `metrics`, `prometheus=<url>` or `requests`.
 */
import { Redacted, Result, Schema } from "effect"

/** What an address carried before its host. */
export interface Credentials {
  readonly username: string
  readonly password: Redacted.Redacted
}

/**
 * A server that speaks Prometheus' HTTP API.
 *
 * **Shape** `url` is the base that `/api/v1/query` comes after: `http` or `https`, without credentials, query, fragment or
 * a slash at its end.
 */
export interface PrometheusAddress {
  readonly url: string
  readonly credentials?: Credentials
}

export type UsageSetting =
  | { readonly _tag: "Metrics" }
  | ({ readonly _tag: "Prometheus" } & PrometheusAddress)
  | { readonly _tag: "Requests" }

/** Names the setting that is wrong, and what is allowed. The text itself is not in it: it may hold a password. */
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
 * Reads the setting's text.
 *
 * **Errors** `InvalidUsageSetting` in the name of `field`.
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

/** Prints a setting. Without credentials: what is printed may be read by anybody. */
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

/**
 * Reads the address of a Prometheus and takes the credentials out of it.
 *
 * **Errors** `InvalidUsageSetting` in the name of `field`.
 */
export const parseAddress = (text: string, field: string): Result.Result<PrometheusAddress, InvalidUsageSetting> => {
  const refuse = (problem: string) => Result.fail(new InvalidUsageSetting({ field, problem }))
  const url = URL.parse(text)
  if (url === null || !["http:", "https:"].includes(url.protocol)) {
    return refuse("the address of Prometheus must begin with http:// or https://, such as http://prometheus:9090")
  }
  if (url.search !== "" || url.hash !== "" || /[?#]/.test(text)) {
    return refuse("the address of Prometheus may have no query and no fragment: give the part before /api/v1")
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
