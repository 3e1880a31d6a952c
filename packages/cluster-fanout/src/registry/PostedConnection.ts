/**
 * Reads the connection of a cluster that a caller registers at run time.
 *
 * The caller is not the operator of the machine. The input must not run a program or read a file on the service's
 * machine, or lead to an address that only that machine can reach.
 */
import { Redacted, Result } from "effect"
import * as AddressRule from "./AddressRule.ts"
import type { Connection } from "./Cluster.ts"
import * as ForeignConnection from "./ForeignConnection.ts"
import { connectionOf } from "./KubeconfigConnection.ts"
import * as ProxyUrl from "./ProxyUrl.ts"
import { type ClusterEntry, type Entry, type KubeconfigDocument, parse, type UserEntry } from "./KubeconfigDocument.ts"

/**
 * Why the input cannot be used. **Shape** `field` is a field of the body. The message quotes nothing that may be
 * secret.
 */
export interface PostedFault {
  readonly field: "kubeconfig" | "server" | "caData" | "token" | "tlsServerName" | "proxyUrl"
  readonly message: string
}

/** The parts of a connection. **Shape** `caData` is PEM in base64, as in a kubeconfig. */
export interface ConnectionParts {
  readonly server: string
  readonly caData: string
  readonly token: Redacted.Redacted
  readonly tlsServerName?: string
  readonly proxyUrl?: string
}

const fault = (field: PostedFault["field"], message: string) => Result.fail<PostedFault>({ field, message })

/** Limits of a posted kubeconfig. One context needs some 100 tokens. */
const LIMITS = { tokens: 100_000, values: 20_000, depth: 64 }

/** Makes a connection from its parts. **Errors** the first invalid field. */
export const fromParts = (
  { caData, proxyUrl, server, tlsServerName, token }: ConnectionParts,
  rule: AddressRule.AddressRule
): Result.Result<Connection, PostedFault> =>
  Result.gen(function* () {
    const serverFault = AddressRule.faultOfUrl(server, rule)
    if (serverFault !== undefined) return yield* fault("server", `server ${serverFault}`)
    if (proxyUrl !== undefined) {
      const proxyFault = AddressRule.faultOfUrl(proxyUrl, rule, ProxyUrl.SCHEMES)
      if (proxyFault !== undefined) return yield* fault("proxyUrl", `proxyUrl ${proxyFault}`)
    }
    const cluster = {
      server,
      "certificate-authority-data": caData,
      ...(tlsServerName !== undefined && { "tls-server-name": tlsServerName }),
      ...(proxyUrl !== undefined && { "proxy-url": proxyUrl })
    }
    if (!isPem(caData)) return yield* fault("caData", "caData is not PEM in base64")
    const secret = Redacted.value(token)
    if (!/^[\x21-\x7e]+$/.test(secret))
      return yield* fault("token", "token is empty or has characters that an HTTP header cannot contain")
    const connection = connectionOf({ file: "", value: cluster }, { file: "", value: { token: secret } })
    // Any remaining problem concerns the server: its scheme or its query.
    if (Result.isFailure(connection)) return yield* fault("server", connection.failure.message)
    return { ...connection.success, addressRule: rule }
  })

/**
 * Makes a connection from a kubeconfig's current context, or from its only context.
 *
 * **Errors** rejects `exec`, `auth-provider`, `tokenFile`, file paths, `insecure-skip-tls-verify` and forbidden
 * addresses, besides the errors of a kubeconfig. **Limits** reads no file.
 */
export const fromKubeconfig = (
  text: Redacted.Redacted,
  rule: AddressRule.AddressRule
): Result.Result<Connection, PostedFault> =>
  Result.gen(function* () {
    const refuse = (message: string) => fault("kubeconfig", message)
    const parsed = parse({ path: "/kubeconfig", text: Redacted.value(text) }, LIMITS)
    if (Result.isFailure(parsed)) return yield* refuse(`kubeconfig ${parsed.failure}`)
    const found = entriesOf(parsed.success)
    if (Result.isFailure(found)) return yield* refuse(found.failure)
    const { cluster, user } = found.success
    if (user.exec !== undefined) {
      return yield* refuse("exec is refused: it would run a program on the service's machine")
    }
    const connection = ForeignConnection.make(cluster, user, { addressRule: rule, allowedCommands: [] })
    return Result.isFailure(connection) ? yield* refuse(connection.failure.message) : connection.success
  })

const isPem = (data: string): boolean => {
  const compact = data.replace(/\s+/g, "")
  return /^[A-Za-z0-9+/]+={0,2}$/.test(compact) && Buffer.from(compact, "base64").includes("-----BEGIN ")
}

interface Entries {
  readonly cluster: ClusterEntry
  readonly user: UserEntry
}

const entriesOf = ({ clusters, contexts, currentContext, users }: KubeconfigDocument): Result.Result<Entries, string> =>
  Result.gen(function* () {
    const only = contexts.size === 1 ? [...contexts.keys()][0] : undefined
    const name = currentContext ?? only
    if (name === undefined)
      return yield* Result.fail("kubeconfig has no current-context; set it to the context of the cluster to register")
    const context = yield* entryOf("context", contexts, name)
    const cluster = yield* entryOf("cluster", clusters, context.cluster)
    return { cluster, user: context.user === undefined ? {} : yield* entryOf("user", users, context.user) }
  })

const entryOf = <A>(what: string, entries: ReadonlyMap<string, Entry<A>>, name: string): Result.Result<A, string> => {
  const entry = entries.get(name)
  return entry === undefined
    ? Result.fail(`the ${what} that kubeconfig refers to does not exist`)
    : Result.mapError(entry.value, (problem) => `${what}: ${problem}`)
}
