/**
 * Reads a cluster from an Argo CD Secret.
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
const ARGO_LABELS = /^(?:[^/]+\.)?argoproj\.io\//
/** Argo CD's address of the cluster that it runs in. */
const IN_CLUSTER = /^https:\/\/kubernetes\.default(?:\.svc(?:\.cluster\.local)?)?(?::443)?\/?$/
/** Command that Argo CD runs for `awsAuthConfig`. */
const AWS_COMMAND = "argocd-k8s-auth"

/** Go writes null for unset fields. */
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

/** Limits of the fields. **Units** base64 characters. */
const MAX_SERVER = 4096
const MAX_NAME = 8192

/**
 * Reads a Secret.
 *
 * **Shape** `undefined` if the Secret describes no cluster, or the cluster that Argo CD runs in. The cluster's name is
 * made from the Secret's `name` field as from a context name; without that field, from the Secret's own name.
 *
 * **Errors** why the Secret cannot be used, without quoting its data. **Limits** linear in the Secret.
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
      ...fieldIf("certificate-authority-data", caData),
      ...fieldIf("tls-server-name", serverName),
      ...fieldIf("proxy-url", config.proxyUrl),
      ...(insecure === true && { "insecure-skip-tls-verify": true })
    }
    const labels = Object.entries(metadata.labels ?? {}).filter(([key]) => !ARGO_LABELS.test(key))
    return { name, labels: Object.fromEntries(labels), connection: yield* make(cluster, userOf(config), rules) }
  })
}

const EMPTY_CONFIG = Buffer.from("{}").toString("base64")

const nameOf = (base64: string, ownName: string): Result.Result<ClusterName.ClusterName, Refusal> => {
  const written = base64.length > MAX_NAME ? undefined : textOf(base64).trim()
  const name = written === undefined ? undefined : ClusterName.fromText(written === "" ? ownName : written)
  return name === undefined
    ? Result.fail({
        code: "nameInvalid",
        message: `its name cannot be turned into a cluster name (${ClusterName.ALLOWED})`
      })
    : Result.succeed(name)
}

const textOf = (base64: string): string => Buffer.from(base64, "base64").toString("utf8")

/** Go writes null or an empty text for unset fields. */
const fieldIf = <Key extends string>(
  key: Key,
  text: string | null | undefined
): { readonly [K in Key]?: string } | undefined => (isSet(text) ? fieldOf(key, text) : undefined)

const fieldOf = <Key extends string>(key: Key, text: string): { readonly [K in Key]?: string } => {
  const made: { [K in Key]?: string } = {}
  made[key] = text
  return made
}

/** Argo CD uses neither token nor password for a cluster with a plugin. */
const userOf = (config: Config): UserEntry => {
  const { certData, keyData } = config.tlsClientConfig ?? {}
  const exec = execOf(config)
  return {
    ...(exec === undefined
      ? {
          ...fieldIf("token", config.bearerToken),
          ...fieldIf("username", config.username),
          ...fieldIf("password", config.password)
        }
      : { exec }),
    ...fieldIf("client-certificate-data", certData),
    ...fieldIf("client-key-data", keyData)
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
