/** Turns a kubeconfig's cluster and user into a connection, or returns why they cannot be used. */
import { Redacted, Result } from "effect"
import { sep } from "node:path"
import type { ClientCertificate, Connection, Credential, ExecPlugin, Impersonation, PemSource } from "./Cluster.ts"
import type { RegistryProblem } from "./ClusterRegistry.ts"
import * as ProxyUrl from "./ProxyUrl.ts"
import { type ClusterEntry, type ExecEntry, resolvePath, type UserEntry } from "./KubeconfigDocument.ts"

export interface Refusal {
  readonly code: RegistryProblem["code"]
  readonly message: string
}

interface From<A> {
  readonly file: string
  readonly value: A
}

/** Joins a cluster and a user. **Errors** the first reason against using them. */
export const connectionOf = (cluster: From<ClusterEntry>, user: From<UserEntry>): Result.Result<Connection, Refusal> =>
  Result.gen(function* () {
    const { value: entry } = cluster
    const server = yield* serverOf(entry.server)
    const proxyUrl = entry["proxy-url"] === undefined ? undefined : yield* proxyOf(entry["proxy-url"])
    const certificateAuthority = yield* pemOf(cluster.file, entry, "certificate-authority")
    const tlsServerName = entry["tls-server-name"]
    const credential = yield* credentialOf(cluster, user)
    const impersonation = yield* impersonationOf(user.value)
    if (credential._tag !== "None" && server.startsWith("http:") && !isLoopback(server)) {
      return yield* incomplete("server is plain http: a credential would cross the network unprotected")
    }
    return {
      server,
      ...(certificateAuthority && { certificateAuthority }),
      ...(tlsServerName !== undefined && { tlsServerName }),
      insecureSkipTlsVerify: entry["insecure-skip-tls-verify"] ?? false,
      ...(proxyUrl !== undefined && { proxyUrl }),
      credential,
      ...(impersonation && { impersonation })
    }
  })

const incomplete = (message: string) => refuse("contextIncomplete", message)
const refuse = (code: RegistryProblem["code"], message: string) => Result.fail<Refusal>({ code, message })

/** Longer than any real address; spares the parsers very long texts. */
const MAX_ADDRESS = 2048

const urlOf = (text: string): URL | undefined => URL.parse(text) ?? undefined

const serverOf = (text: string): Result.Result<string, Refusal> => {
  if (text.length > MAX_ADDRESS) return incomplete(`server is longer than ${MAX_ADDRESS} characters`)
  const url = urlOf(text)
  if (url === undefined || (url.protocol !== "https:" && url.protocol !== "http:")) {
    return incomplete("server is not an http(s) URL")
  }
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    return incomplete("server must not contain a user, query or fragment")
  }
  return Result.succeed(withoutSlashes(url.href))
}

/** Removes trailing slashes with a loop: a regular expression would take quadratic time on long runs of slashes. */
export const withoutSlashes = (text: string): string => {
  let end = text.length
  while (text[end - 1] === "/") end--
  return text.slice(0, end)
}

const isLoopback = (server: string): boolean =>
  /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(urlOf(server)?.hostname ?? "")

const proxyOf = (text: string): Result.Result<string, Refusal> =>
  Result.mapError(ProxyUrl.parse(text), ({ code, problem }): Refusal => ({ code, message: `proxy-url ${problem}` }))

type PemField = "certificate-authority" | "client-certificate" | "client-key"
type PemFields = { readonly [Field in PemField | `${PemField}-data`]?: string }

/** Inline data takes precedence over a file, as in kubectl. */
const pemOf = (file: string, entry: PemFields, field: PemField): Result.Result<PemSource | undefined, Refusal> => {
  const data = entry[`${field}-data`]
  if (data === undefined) {
    const path = entry[field]
    return Result.succeed(path === undefined ? undefined : { _tag: "File", path: resolvePath(file, path) })
  }
  const compact = data.replace(/\s+/g, "")
  const pem = Buffer.from(compact, "base64").toString("utf8")
  return /^[A-Za-z0-9+/]+={0,2}$/.test(compact) && pem.includes("-----BEGIN ")
    ? Result.succeed({ _tag: "Data", pem: Redacted.make(pem) })
    : incomplete(`${field}-data is not PEM in base64`)
}

/**
 * Selects the credential that kubectl would send: a token file, else a token, else a password. A client certificate is
 * sent in addition or alone. A plugin runs only for a user without any of these.
 *
 * **Source** client-go `clientcmd`, and `exec.Authenticator.UpdateTransportConfig`.
 */
const credentialOf = (
  cluster: From<ClusterEntry>,
  { file, value: user }: From<UserEntry>
): Result.Result<Credential, Refusal> =>
  Result.gen(function* () {
    if (user["auth-provider"] !== undefined) {
      return yield* refuse("credentialUnsupported", "auth-provider is not supported; use an exec plugin")
    }
    const hasToken = user.tokenFile !== undefined || user.token !== undefined
    if (hasToken && user.username !== undefined) return yield* incomplete("user has both a token and a username")
    const client = yield* clientCertificateOf(file, user)
    const beside = client === undefined ? {} : { clientCertificate: client }
    if (user.tokenFile !== undefined) {
      return { _tag: "TokenFile", path: resolvePath(file, user.tokenFile), ...beside }
    }
    if (user.token !== undefined) {
      if (!isHeaderText(user.token))
        return yield* incomplete("token is too long or has characters that an HTTP header cannot contain")
      return { _tag: "Token", token: Redacted.make(user.token), ...beside }
    }
    if (user.username !== undefined) {
      if (user.username.includes(":")) return yield* incomplete("username contains a colon")
      return { _tag: "Basic", username: user.username, password: Redacted.make(user.password ?? ""), ...beside }
    }
    if (client !== undefined) return { _tag: "ClientCertificate", ...client }
    if (user.exec !== undefined) return { _tag: "Exec", plugin: yield* pluginOf(cluster.value, file, user.exec) }
    return { _tag: "None" }
  })

const clientCertificateOf = (file: string, user: UserEntry): Result.Result<ClientCertificate | undefined, Refusal> =>
  Result.gen(function* () {
    const certificate = yield* pemOf(file, user, "client-certificate")
    const key = yield* pemOf(file, user, "client-key")
    if (certificate === undefined && key === undefined) return undefined
    if (certificate !== undefined && key !== undefined) return { certificate, key }
    return yield* incomplete("client-certificate and client-key must be set together")
  })

const EXEC_VERSIONS = ["client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"]
const EXEC_CONFIG = "client.authentication.k8s.io/exec"

const pluginOf = (cluster: ClusterEntry, file: string, exec: ExecEntry): Result.Result<ExecPlugin, Refusal> => {
  if (!EXEC_VERSIONS.includes(exec.apiVersion)) {
    return refuse("execUnsupported", `exec.apiVersion must be ${EXEC_VERSIONS.join(" or ")}`)
  }
  if (exec.interactiveMode === "Always") {
    return refuse("execUnsupported", "exec.interactiveMode is Always, but the service cannot answer a prompt")
  }
  const config = cluster.extensions?.find((extension) => extension.name === EXEC_CONFIG)
  return Result.succeed({
    apiVersion: exec.apiVersion,
    // A bare name is looked up on PATH; a path is relative to the file.
    command: exec.command.includes(sep) ? resolvePath(file, exec.command) : exec.command,
    args: exec.args ?? [],
    env: (exec.env ?? []).map(({ name, value }) => [name, Redacted.make(value ?? "")] as const),
    ...(exec.installHint !== undefined && { installHint: exec.installHint }),
    provideClusterInfo: exec.provideClusterInfo ?? false,
    interactiveMode: exec.interactiveMode ?? "IfAvailable",
    ...(config !== undefined && { config: config.extension })
  })
}

const impersonationOf = (user: UserEntry): Result.Result<Impersonation | undefined, Refusal> => {
  const uid = user["as-uid"]
  const groups = user["as-groups"] ?? []
  const extra = user["as-user-extra"] ?? {}
  if (user.as === undefined) {
    const alone = uid !== undefined || groups.length > 0 || Object.keys(extra).length > 0
    return alone ? incomplete("as-uid, as-groups and as-user-extra need as") : Result.succeed(undefined)
  }
  const texts = [user.as, uid ?? "", ...groups, ...Object.values(extra).flat()]
  if (!texts.every(isHeaderText))
    return incomplete("impersonation is too long or has characters that an HTTP header cannot contain")
  return Result.succeed({ user: user.as, ...(uid !== undefined && { uid }), groups, extra })
}

/** API servers accept at most 1 MiB of headers; every known token is shorter. */
const MAX_HEADER_TEXT = 64 * 1024

/** Rejects control characters. All other characters can be sent, as UTF-8 if necessary. */
const isHeaderText = (text: string): boolean => text.length <= MAX_HEADER_TEXT && !/[\u0000-\u001f\u007f]/.test(text)
