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

const Config = Schema.Struct({
  username: Schema.optionalKey(Schema.String),
  password: Schema.optionalKey(Schema.String),
  bearerToken: Schema.optionalKey(Schema.String),
  proxyUrl: Schema.optionalKey(Schema.String),
  tlsClientConfig: Schema.optionalKey(
    Schema.Struct({
      insecure: Schema.optionalKey(Schema.Boolean),
      serverName: Schema.optionalKey(Schema.String),
      caData: Schema.optionalKey(Schema.String),
      certData: Schema.optionalKey(Schema.String),
      keyData: Schema.optionalKey(Schema.String)
    })
  ),
  execProviderConfig: Schema.optionalKey(
    Schema.Struct({
      command: Schema.String,
      args: Schema.optionalKey(Schema.Array(Schema.String)),
      env: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
      apiVersion: Schema.optionalKey(Schema.String)
    })
  ),
  awsAuthConfig: Schema.optionalKey(
    Schema.Struct({
      clusterName: Schema.String,
      roleARN: Schema.optionalKey(Schema.String),
      profile: Schema.optionalKey(Schema.String)
    })
  )
})
type Config = typeof Config.Type

const Secret = Schema.Struct({
  metadata: Schema.Struct({ labels: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)) }),
  data: Schema.Struct({ server: Schema.String, name: Schema.String, config: Schema.optionalKey(Schema.String) })
})

const decodeSecret = Schema.decodeUnknownOption(Secret)
const decodeConfig = Schema.decodeUnknownOption(Schema.fromJsonString(Config))
const decodeLabels = Schema.decodeUnknownOption(
  Schema.Struct({ metadata: Schema.Struct({ labels: Schema.Struct({ [LABEL]: Schema.Literal("cluster") }) }) })
)

const incomplete = (message: string) => Result.fail<Refusal>({ code: "contextIncomplete", message })

/**
 * Reads a Secret.
 *
 * **Shape** `undefined` for one that is no cluster, and for the cluster that Argo CD runs in. The name is made as that of a context.
 *
 * **Errors** why it cannot be used; nothing of the Secret's data is quoted.
 */
export const read = (object: unknown, rules: ForeignRules): Result.Result<Registration, Refusal> | undefined => {
  if (Option.isNone(decodeLabels(object))) return undefined
  const secret = Option.getOrUndefined(decodeSecret(object))
  if (secret === undefined) return incomplete("name or server is missing")
  const server = textOf(secret.data.server).trim()
  if (IN_CLUSTER.test(server)) return undefined
  return Result.gen(function* () {
    const name = ClusterName.fromText(textOf(secret.data.name).trim())
    if (name === undefined) {
      return yield* Result.fail<Refusal>({ code: "nameInvalid", message: "its name does not make a cluster name" })
    }
    const config = Option.getOrUndefined(decodeConfig(textOf(secret.data.config ?? "e30=")))
    if (config === undefined) return yield* incomplete("config is not JSON of the expected shape")
    const { caData, insecure, serverName } = config.tlsClientConfig ?? {}
    const cluster = {
      server,
      ...given("certificate-authority-data", caData),
      ...given("tls-server-name", serverName),
      ...given("proxy-url", config.proxyUrl),
      ...(insecure === true && { "insecure-skip-tls-verify": true })
    }
    const labels = Object.entries(secret.metadata.labels ?? {}).filter(([key]) => !OWN_LABELS.test(key))
    return { name, labels: Object.fromEntries(labels), connection: yield* make(cluster, userOf(config), rules) }
  })
}

const textOf = (base64: string): string => Buffer.from(base64, "base64").toString("utf8")

/** Go writes an empty text for what is not set. */
const given = <Key extends string>(key: Key, text: string | undefined): { readonly [K in Key]?: string } | undefined =>
  text === undefined || text === "" ? undefined : keyed(key, text)

const keyed = <Key extends string>(key: Key, text: string): { readonly [K in Key]?: string } => {
  const made: { [K in Key]?: string } = {}
  made[key] = text
  return made
}

const userOf = (config: Config): UserEntry => {
  const { certData, keyData } = config.tlsClientConfig ?? {}
  const exec = execOf(config)
  return {
    ...given("token", config.bearerToken),
    ...given("username", config.username),
    ...given("password", config.password),
    ...given("client-certificate-data", certData),
    ...given("client-key-data", keyData),
    ...(exec && { exec })
  }
}

const execOf = ({ awsAuthConfig, execProviderConfig }: Config): ExecEntry | undefined => {
  if (awsAuthConfig !== undefined) {
    const { clusterName, profile = "", roleARN = "" } = awsAuthConfig
    const args = ["aws", "--cluster-name", clusterName]
    if (roleARN !== "") args.push("--role-arn", roleARN)
    if (profile !== "") args.push("--profile", profile)
    return { apiVersion: "client.authentication.k8s.io/v1beta1", command: AWS_COMMAND, args }
  }
  if (execProviderConfig === undefined) return undefined
  const { apiVersion = "", args = [], command, env = {} } = execProviderConfig
  return {
    apiVersion: apiVersion === "" ? "client.authentication.k8s.io/v1beta1" : apiVersion,
    command,
    args,
    env: Object.entries(env).map(([name, value]) => ({ name, value }))
  }
}
