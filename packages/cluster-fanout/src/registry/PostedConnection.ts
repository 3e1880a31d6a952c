/**
 * Reads the connection of a cluster that is registered while the service runs, from what a caller posts.
 *
 * The caller is not the operator of the machine: nothing of it may run a program there, read a file there, or lead to an address
 * that only the machine itself reaches.
 */
import { Redacted, Result } from "effect"
import * as AddressRule from "./AddressRule.ts"
import type { Connection } from "./Cluster.ts"
import * as ForeignConnection from "./ForeignConnection.ts"
import { connectionOf } from "./KubeconfigConnection.ts"
import * as ProxyUrl from "./ProxyUrl.ts"
import { type ClusterEntry, type Entry, type KubeconfigDocument, parse, type UserEntry } from "./KubeconfigDocument.ts"

/** Why it cannot be used. **Shape** `field` is that of the body; the message quotes nothing that may be secret. */
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

/** Bounds of a posted kubeconfig, whose one context needs some 100 tokens. */
const LIMITS = { tokens: 100_000, values: 20_000, depth: 64 }

/** Makes a connection of its parts. **Errors** the first field that speaks against it. */
export const fromParts = (
  { caData, proxyUrl, server, tlsServerName, token }: ConnectionParts,
  rule: AddressRule.AddressRule
): Result.Result<Connection, PostedFault> =>
  Result.gen(function* () {
    const refused = AddressRule.faultOfUrl(server, rule)
    if (refused !== undefined) return yield* fault("server", `server ${refused}`)
    if (proxyUrl !== undefined) {
      const reason = AddressRule.faultOfUrl(proxyUrl, rule, ProxyUrl.SCHEMES)
      if (reason !== undefined) return yield* fault("proxyUrl", `proxyUrl ${reason}`)
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
      return yield* fault("token", "token is empty or has characters that no header can carry")
    const connection = connectionOf({ file: "", value: cluster }, { file: "", value: { token: secret } })
    // What is left to be wrong is the server's: its scheme, its query.
    if (Result.isFailure(connection)) return yield* fault("server", connection.failure.message)
    return { ...connection.success, addressRule: rule }
  })

/**
 * Makes a connection of a kubeconfig's current context, or of its only one.
 *
 * **Errors** `exec`, `auth-provider`, `tokenFile`, paths of files, `insecure-skip-tls-verify`, forbidden addresses, and what makes
 * a kubeconfig unusable. **Limits** reads no file.
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
      return yield* refuse("exec is refused: it would run a program where the service runs")
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
      return yield* Result.fail("kubeconfig has no current-context, which says which cluster is meant")
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
