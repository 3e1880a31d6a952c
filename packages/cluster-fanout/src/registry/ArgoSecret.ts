/**
 * Reads a cluster from a Secret of Argo CD.
 *
 * **Source** Argo CD, "Declarative Setup", Clusters.
 */
import * as ClusterName from "@quarterdeck/targeting/ClusterName"
import { Option, Result, Schema } from "effect"
import { type ForeignRules, make } from "./ForeignConnection.ts"
import type { Refusal } from "./KubeconfigConnection.ts"
import type { ExecEntry, UserEntry } from "./KubeconfigDocument.ts"
import type { Registration } from "./RegisteredClusters.ts"

const LABEL = "argocd.argoproj.io/secret-type"
const OWN_LABELS = /^(?:[^/]+\.)?argoproj\.io\//
/** What Argo CD calls the cluster that it runs in, which is the parent. */
const IN_CLUSTER = /^https:\/\/kubernetes\.default(?:\.svc(?:\.cluster\.local)?)?(?::443)?\/?$/
/** What Argo CD runs for `awsAuthConfig`. */
const AWS_COMMAND = "argocd-k8s-auth"

/** Go writes null for what is not set. */
const optional = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))
const Text = optional(Schema.String)

const Config = Schema.Struct({
  username: Text,
  password: Text,
  bearerToken: Text,
  proxyUrl: Text,
  tlsClientConfig: optional(
    Schema.Struct({
      insecure: optional(Schema.Boolean),
      serverName: Text,
      caData: Text,
      certData: Text,
      keyData: Text
    })
  ),
  execProviderConfig: optional(
    Schema.Struct({
      command: Schema.String,
      args: optional(Schema.Array(Schema.String)),
      env: optional(Schema.Record(Schema.String, Schema.String)),
      apiVersion: Text
    })
  ),
  awsAuthConfig: optional(Schema.Struct({ clusterName: Schema.String, roleARN: Text, profile: Text }))
})
type Config = typeof Config.Type

const Secret = Schema.Struct({
  metadata: Schema.Struct({ name: Schema.String, labels: optional(Schema.Record(Schema.String, Schema.String)) }),
  data: Schema.Struct({ server: Schema.String, name: Text, config: Text })
})

const decodeSecret = Schema.decodeUnknownOption(Secret)
const decodeConfig = Schema.decodeUnknownOption(Schema.fromJsonString(Config))
const decodeLabels = Schema.decodeUnknownOption(
  Schema.Struct({ metadata: Schema.Struct({ labels: Schema.Struct({ [LABEL]: Schema.Literal("cluster") }) }) })
)

const incomplete = (message: string) => Result.fail<Refusal>({ code: "contextIncomplete", message })

/** Bounds of the fields. **Units** characters of base64. */
const MAX_SERVER = 4096
const MAX_NAME = 8192

/**
 * Reads a Secret.
 *
 * **Shape** `undefined` for one that is no cluster, and for the cluster that Argo CD runs in. The cluster is named as a
 * context of the Secret's `name` would be; a Secret without one gives its own name.
 *
 * **Errors** why it cannot be used; nothing of the Secret's data is quoted. **Limits** linear in the Secret.
 */
export const read = (object: unknown, rules: ForeignRules): Result.Result<Registration, Refusal> | undefined => {
  if (Option.isNone(decodeLabels(object))) return undefined
  const secret = Option.getOrUndefined(decodeSecret(object))
  if (secret === undefined) return incomplete("server is missing, or a field is not text")
  const { data, metadata } = secret
  if (data.server.length > MAX_SERVER) return incomplete(`server is longer than ${MAX_SERVER} characters of base64`)
  const server = textOf(data.server).trim()
  if (IN_CLUSTER.test(server)) return undefined
  return Result.gen(function* () {
    const name = yield* nameOf(data.name ?? "", metadata.name)
    const config = Option.getOrUndefined(decodeConfig(textOf(data.config ?? EMPTY_CONFIG)))
    if (config === undefined) return yield* incomplete("config is not JSON of the expected shape")
    const { caData, insecure, serverName } = config.tlsClientConfig ?? {}
    const cluster = {
      server,
      ...given("certificate-authority-data", caData),
      ...given("tls-server-name", serverName),
      ...given("proxy-url", config.proxyUrl),
      ...(insecure === true && { "insecure-skip-tls-verify": true })
    }
    const labels = Object.entries(metadata.labels ?? {}).filter(([key]) => !OWN_LABELS.test(key))
    return { name, labels: Object.fromEntries(labels), connection: yield* make(cluster, userOf(config), rules) }
  })
}

const EMPTY_CONFIG = Buffer.from("{}").toString("base64")

const nameOf = (base64: string, ownName: string): Result.Result<ClusterName.ClusterName, Refusal> => {
  const written = base64.length > MAX_NAME ? undefined : textOf(base64).trim()
  const name = written === undefined ? undefined : ClusterName.fromText(written === "" ? ownName : written)
  return name === undefined
    ? Result.fail({ code: "nameInvalid", message: `its name does not make a cluster name (${ClusterName.ALLOWED})` })
    : Result.succeed(name)
}

const textOf = (base64: string): string => Buffer.from(base64, "base64").toString("utf8")

/** Go writes null or an empty text for what is not set. */
const given = <Key extends string>(
  key: Key,
  text: string | null | undefined
): { readonly [K in Key]?: string } | undefined => (isSet(text) ? keyed(key, text) : undefined)

const keyed = <Key extends string>(key: Key, text: string): { readonly [K in Key]?: string } => {
  const made: { [K in Key]?: string } = {}
  made[key] = text
  return made
}

/** Argo CD sends neither a token nor a password of a cluster with a plugin. */
const userOf = (config: Config): UserEntry => {
  const { certData, keyData } = config.tlsClientConfig ?? {}
  const exec = execOf(config)
  return {
    ...(exec === undefined
      ? {
          ...given("token", config.bearerToken),
          ...given("username", config.username),
          ...given("password", config.password)
        }
      : { exec }),
    ...given("client-certificate-data", certData),
    ...given("client-key-data", keyData)
  }
}

const execOf = ({ awsAuthConfig, execProviderConfig }: Config): ExecEntry | undefined => {
  if (awsAuthConfig !== undefined && awsAuthConfig !== null) {
    const { clusterName, profile, roleARN } = awsAuthConfig
    const args = ["aws", "--cluster-name", clusterName]
    if (isSet(roleARN)) args.push("--role-arn", roleARN)
    if (isSet(profile)) args.push("--profile", profile)
    return { apiVersion: EXEC_VERSION, command: AWS_COMMAND, args }
  }
  if (execProviderConfig === undefined || execProviderConfig === null) return undefined
  const { apiVersion, args, command, env } = execProviderConfig
  return {
    apiVersion: isSet(apiVersion) ? apiVersion : EXEC_VERSION,
    command,
    args: args ?? [],
    env: Object.entries(env ?? {}).map(([name, value]) => ({ name, value }))
  }
}

const EXEC_VERSION = "client.authentication.k8s.io/v1beta1"

const isSet = (text: string | null | undefined): text is string => text !== undefined && text !== null && text !== ""
