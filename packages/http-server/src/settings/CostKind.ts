/**
 * The value types of the cost settings.
 */
import * as UsageSetting from "@quarterdeck/cost/usage/UsageSetting"
import * as ClusterName from "@quarterdeck/targeting/ClusterName"
import { Effect, Redacted, Schema, SchemaIssue, SchemaTransformation } from "effect"
import type { Kind } from "./Kind.ts"

const isAddress = (text: string): boolean => /^https?:\/\//.test(text) && URL.canParse(text) && !/[\s#]/.test(text)

/** Decodes an `http` or `https` address. It may contain a user and password, so it is redacted. */
const StoreAddress = Schema.String.check(Schema.makeFilter(isAddress)).pipe(
  Schema.decodeTo(
    Schema.Redacted(Schema.String),
    SchemaTransformation.transform({ decode: Redacted.make, encode: Redacted.value })
  )
)

/** Decodes the address of a ClickHouse server. */
export const storeAddress: Kind<Redacted.Redacted> = {
  word: "URL",
  allowed: "the http:// or https:// address of a ClickHouse server",
  fromText: StoreAddress,
  fromYaml: StoreAddress
}

const Credentials = Schema.Struct({ username: Schema.String, password: Schema.Redacted(Schema.String) })

const Usage = Schema.TaggedUnion({
  Metrics: {},
  Prometheus: { url: Schema.String, credentials: Schema.optionalKey(Credentials) },
  Requests: {}
})

const UsageText = Schema.String.pipe(
  Schema.decodeTo(
    Usage,
    SchemaTransformation.transformEffect({
      decode: (text: string) =>
        Effect.fromResult(UsageSetting.parse(text)).pipe(Effect.mapError(() => new SchemaIssue.InvalidValue())),
      encode: (setting) => Effect.succeed(UsageSetting.print(setting))
    })
  )
)

const SOURCES = "metrics, requests or prometheus=URL with an http:// or https:// address without query and fragment"

/** Decodes the source of usage data. */
export const usage: Kind<UsageSetting.UsageSetting> = {
  word: "metrics|prometheus=URL|requests",
  allowed: SOURCES,
  fromText: UsageText,
  fromYaml: UsageText
}

/** Sources of usage by cluster name. */
export type UsageByCluster = Readonly<Record<string, UsageSetting.UsageSetting>>

/** `Schema.Record` drops entries with an invalid key. This check rejects the record instead. */
const ByCluster = Schema.Record(Schema.String, UsageText).check(
  Schema.makeFilter((sources) => Object.keys(sources).every((name) => ClusterName.is(name)))
)

/** Splits at the first `=`. A cluster name contains no `=`; an address may. */
const splitFirst = (text: string): readonly [cluster: string, source: string] => {
  const at = text.indexOf("=")
  return at < 0 ? ["", text] : [text.slice(0, at), text.slice(at + 1)]
}

/**
 * Decodes the usage source of each cluster.
 *
 * **Shape** text is a comma-separated list of `cluster=source`. An address that contains a comma needs YAML.
 */
export const usageByCluster: Kind<UsageByCluster> = {
  word: "CLUSTER=SOURCE,...",
  allowed: `a map from cluster to one of ${SOURCES}; as a flag or variable, cluster=source,cluster=source`,
  fromText: Schema.String.check(
    Schema.makeFilter((text) => {
      const clusters = text.split(",").map((part) => splitFirst(part)[0])
      return new Set(clusters).size === clusters.length
    })
  ).pipe(
    Schema.decodeTo(
      ByCluster,
      SchemaTransformation.transform({
        decode: (text) => Object.fromEntries(text.split(",").map(splitFirst)),
        encode: (sources) =>
          Object.entries(sources)
            .map(([cluster, source]) => `${cluster}=${source}`)
            .join(",")
      })
    )
  ),
  fromYaml: ByCluster
}

const LabelName = Schema.String.check(Schema.isPattern(/^[a-zA-Z_][a-zA-Z0-9_]{0,127}$/))

/** Decodes the name of a Prometheus label. */
export const labelName: Kind<string> = {
  word: "LABEL",
  allowed: "a Prometheus label name: up to 128 letters, digits and underscores, not starting with a digit",
  fromText: LabelName,
  fromYaml: LabelName
}
