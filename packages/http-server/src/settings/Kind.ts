/**
 * The value types of settings, each decoded from text and from YAML.
 */
import * as Expiry from "@quarterdeck/keys/Expiry"
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { NamespaceName } from "@quarterdeck/targeting/NamespaceFilter"
import { Duration, Effect, Option, Result, Schema, SchemaIssue, SchemaTransformation } from "effect"
import { isIP } from "node:net"
import { delimiter } from "node:path"
import * as ClientAddress from "../limits/ClientAddress.ts"

/**
 * A value type.
 *
 * **Shape** `word` is the placeholder in help. `allowed` completes "must be …". `fromText` decodes a flag or an environment
 * variable. `fromYaml` decodes a value of the YAML file, which must have the right type: a number in quotes is refused.
 */
export interface Kind<A> {
  readonly word: string
  readonly allowed: string
  readonly fromText: Schema.Decoder<A>
  readonly fromYaml: Schema.Decoder<A>
  /** Returns the path and problem of an invalid part of a YAML value. Messages print both after the setting's path. */
  readonly faultIn?: (value: unknown) => string | undefined
}

/** Decodes a value. Drops the decoder's message, since `allowed` describes what is expected. */
export const decode = <A>(form: Schema.Decoder<A>, value: unknown): Option.Option<A> =>
  Result.getSuccess(Schema.decodeUnknownResult(form)(value))

/** Makes a value type that has the same text in flags, environment variables and YAML. */
export const written = <A>(word: string, allowed: string, form: Schema.Decoder<A>): Kind<A> => ({
  word,
  allowed,
  fromText: form,
  fromYaml: form
})

/** Decodes a list from text, and skips empty items. */
export const joined = (
  separator: string,
  list: Schema.Codec<ReadonlyArray<string>>
): Schema.Decoder<ReadonlyArray<string>> =>
  Schema.String.pipe(
    Schema.decodeTo(
      list,
      SchemaTransformation.transform({
        decode: (text): ReadonlyArray<string> => text.split(separator).filter((part) => part !== ""),
        encode: (parts) => parts.join(separator)
      })
    )
  )

/** Makes a list type: comma-separated in text, a list in YAML. */
const commaList = (word: string, what: string, item: Schema.Codec<string>): Kind<ReadonlyArray<string>> => ({
  word: `${word},...`,
  allowed: `a list of ${what}; as a flag or variable, separated by commas`,
  fromText: joined(",", Schema.Array(item)),
  fromYaml: Schema.Array(item)
})

/** Decodes a whole number in decimal digits. Both bounds are inclusive. */
export const wholeNumber = (minimum: number, maximum: number): Kind<number> => {
  const inRange = Schema.Int.check(Schema.isBetween({ minimum, maximum }))
  return {
    word: "N",
    allowed: `a whole number from ${minimum} to ${maximum}`,
    fromText: Schema.String.check(Schema.isPattern(/^(?:0|[1-9][0-9]{0,14})$/)).pipe(
      Schema.decodeTo(inRange, SchemaTransformation.numberFromString)
    ),
    fromYaml: inRange
  }
}

/** Decodes one of the given words. */
export const choice = <const Words extends ReadonlyArray<string>>(words: Words): Kind<Words[number]> =>
  written(words.join("|"), `one of ${words.join(", ")}`, Schema.Literals(words))

/** Decodes a boolean: the words `true` and `false` in text, a boolean in YAML. */
export const truth: Kind<boolean> = {
  word: "true|false",
  allowed: "true or false",
  fromText: Schema.Literals(["true", "false"]).pipe(
    Schema.decodeTo(
      Schema.Boolean,
      SchemaTransformation.transform({
        decode: (word): boolean => word === "true",
        encode: (is): "true" | "false" => (is ? "true" : "false")
      })
    )
  ),
  fromYaml: Schema.Boolean
}

const PathText = Schema.NonEmptyString.check(Schema.makeFilter((text) => !text.includes("\0")))

/** Decodes a path. A relative path starts at the working directory of the process. */
export const path: Kind<string> = written("PATH", "a path", PathText)

/** Decodes a list of paths: separated as in `PATH` in text, a list in YAML. */
export const pathList: Kind<ReadonlyArray<string>> = {
  word: `PATH${delimiter}PATH`,
  allowed: `a list of paths; as a flag or variable, separated by ${delimiter}`,
  fromText: joined(delimiter, Schema.Array(PathText).check(Schema.isMinLength(1))),
  fromYaml: Schema.Array(PathText)
}

/** Decodes a list like {@link pathList}. In YAML a single path may also be plain text. */
export const paths: Kind<ReadonlyArray<string>> = {
  ...pathList,
  allowed: `a path or a list of paths; as a flag or variable, separated by ${delimiter}`,
  fromYaml: Schema.Union([PathText, Schema.Array(PathText)]).pipe(
    Schema.decodeTo(
      Schema.Array(Schema.String),
      SchemaTransformation.transform({
        decode: (given): ReadonlyArray<string> => (typeof given === "string" ? [given] : given),
        encode: (parts) => parts
      })
    )
  )
}

/** An origin as browsers send it: scheme, host, and the port unless it is the scheme's default. */
const Origin = Schema.String.check(
  Schema.makeFilter((text) => /^https?:\/\//.test(text) && URL.canParse(text) && new URL(text).origin === text)
)

export const origins: Kind<ReadonlyArray<string>> = commaList(
  "ORIGIN",
  "origins such as https://ops.example.com",
  Origin
)

const AddressRange = Schema.String.check(Schema.makeFilter((text) => ClientAddress.parseRange(text) !== undefined))

export const addressRanges: Kind<ReadonlyArray<string>> = commaList(
  "CIDR",
  "IP addresses and ranges such as 10.0.0.0/8",
  AddressRange
)

const HOST_NAME =
  /^(?=.{1,253}$)[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$/

/** Returns true for an IP address without brackets, or a host name. */
export const isHost = (text: string): boolean => isIP(text) !== 0 || HOST_NAME.test(text)

const Host = Schema.String.check(Schema.makeFilter(isHost))

/** Decodes an IP address without brackets, or a host name. */
export const host: Kind<string> = written("ADDRESS", "an IP address or a host name", Host)

export const hosts: Kind<ReadonlyArray<string>> = commaList("HOST", "host names and IP addresses without ports", Host)

export const namespaces: Kind<ReadonlyArray<string>> = commaList("NAMESPACE", "names of namespaces", NamespaceName)

const NamePrefix = Schema.String.check(Schema.isPattern(/^[a-z0-9][a-z0-9.-]{0,252}$/))

/** Decodes name prefixes of Kubernetes objects. */
export const namePrefixes: Kind<ReadonlyArray<string>> = commaList(
  "PREFIX",
  "name prefixes of lower-case letters, digits, dashes and dots, each starting with a letter or digit",
  NamePrefix
)

/** **Source** Kubernetes, "Extended resources": a qualified name outside of kubernetes.io. */
const EXTENDED_RESOURCE =
  /^(?=[^/]{1,253}\/)(?!(?:[^/]*\.)?kubernetes\.io\/)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*\/[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/

/** Decodes names of extended resources. */
export const extendedResources: Kind<ReadonlyArray<string>> = commaList(
  "RESOURCE",
  "extended resources such as google.com/tpu: a domain other than kubernetes.io, a slash and a name",
  Schema.String.check(Schema.isPattern(EXTENDED_RESOURCE))
)

export const commands: Kind<ReadonlyArray<string>> = commaList("COMMAND", "commands", PathText)

export const clusterName: Kind<ClusterName> = written(
  "NAME",
  "a cluster name: 1 to 253 of A-Z a-z 0-9 . _ -, first and last a letter or digit",
  ClusterName
)

/** Cluster names by kubeconfig context. */
export type ClusterNames = Readonly<Record<string, ClusterName>>

/** `Schema.Record` drops entries with an invalid key. This check rejects the record instead. */
const ClusterNamesRecord = Schema.Record(Schema.String, ClusterName).check(
  Schema.makeFilter((names) => !Object.hasOwn(names, ""))
)

/** Splits at the last `=`. Without a `=`, the context is empty. */
const splitLast = (text: string): readonly [context: string, name: string] => {
  const at = text.lastIndexOf("=")
  return at < 0 ? ["", text] : [text.slice(0, at), text.slice(at + 1)]
}

/**
 * Decodes the cluster name of each kubeconfig context.
 *
 * **Shape** text is a comma-separated list of `context=name`. A context may contain `=`; a name cannot.
 */
export const clusterNames: Kind<ClusterNames> = {
  word: "CONTEXT=NAME,...",
  allowed: "a map from context to cluster name; as a flag or variable, context=name,context=name",
  fromText: Schema.String.check(
    Schema.makeFilter((text) => {
      const contexts = text.split(",").map((part) => splitLast(part)[0])
      return new Set(contexts).size === contexts.length
    })
  ).pipe(
    Schema.decodeTo(
      ClusterNamesRecord,
      SchemaTransformation.transform({
        decode: (text) => Object.fromEntries(text.split(",").map(splitLast)),
        encode: (names) =>
          Object.entries(names)
            .map(([context, name]) => `${context}=${name}`)
            .join(",")
      })
    )
  ),
  fromYaml: ClusterNamesRecord
}

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/

/** Reserved headers: HTTP, browsers, proxies or this service use them. A final `*` matches any suffix. */
const TAKEN: ReadonlyArray<string> = [
  "accept*",
  "access-control-*",
  "age",
  "allow",
  "authorization",
  "b3",
  "cache-control",
  "connection",
  "content-*",
  "cookie*",
  "date",
  "expect",
  "forwarded",
  "from",
  "host",
  "http2-settings",
  "idempotency-key",
  "if-*",
  "keep-alive",
  "last-event-id",
  "location",
  "max-forwards",
  "mcp-*",
  "origin",
  "pragma",
  "proxy-*",
  "range",
  "referer",
  "sec-*",
  "set-cookie*",
  "te",
  "traceparent",
  "tracestate",
  "trailer",
  "transfer-encoding",
  "upgrade*",
  "user-agent",
  "via",
  "www-authenticate",
  "x-amzn-trace-id",
  "x-b3-*",
  "x-forwarded-*",
  "x-real-ip",
  "x-request-id"
]

const isTaken = (header: string): boolean => {
  const name = header.toLowerCase()
  return TAKEN.some((taken) => (taken.endsWith("*") ? name.startsWith(taken.slice(0, -1)) : name === taken))
}

/** Decodes the name of a header that has no other meaning. **Source** RFC 9110 §5.1, §5.6.2. */
export const headerName: Kind<string> = written(
  "NAME",
  "an HTTP header name that has no standard meaning (not Authorization, Host, Cookie, Content-* or similar)",
  Schema.String.check(Schema.makeFilter((text) => TOKEN.test(text) && !isTaken(text)))
)

/** Decodes a lifetime: a number and `y` (365 days) or `d` (24 hours). */
export const lifetime: Kind<Duration.Duration> = written(
  "90d|10y",
  "a number from 1 to 9999 and a unit, y or d",
  Schema.String.pipe(
    Schema.decodeTo(
      Schema.Duration,
      SchemaTransformation.transformEffect({
        decode: (text: string) =>
          Effect.fromResult(Expiry.parseLifetime(text)).pipe(Effect.mapError(() => new SchemaIssue.InvalidValue())),
        encode: (duration) => Effect.succeed(`${Duration.toDays(duration)}d`)
      })
    )
  )
)

/** Decodes an `http` or `https` address without user, password, query or fragment. The address is safe to log. */
export const endpoint: Kind<string> = written(
  "URL",
  "an http:// or https:// address without user, password, query or fragment",
  Schema.String.check(
    Schema.makeFilter((text) => {
      const url = URL.parse(text)
      return (
        url !== null
        && /^https?:$/.test(url.protocol)
        && url.username === ""
        && url.password === ""
        && !/[\s?#]/.test(text)
      )
    })
  )
)
