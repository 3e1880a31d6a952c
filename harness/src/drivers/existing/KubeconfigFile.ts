/**
 * Reads existing kubeconfig files.
 *
 * **Source** https://kubernetes.io/docs/reference/config-api/kubeconfig.v1
 */
import { readFile } from "node:fs/promises"
import { dirname, resolve } from "node:path"
import { rootCertificates } from "node:tls"
import { Effect, Redacted, Schema } from "effect"
import { isScalar, parseDocument, visit } from "yaml"
import { InvalidFleet, type MachineRefused } from "../../machine/HarnessError.ts"
import type { ClientCertificate } from "../../client/ApiTransport.ts"
import { attempt } from "../../machine/Machine.ts"
import { type ExecPlugin, Plugin, run } from "./ExecPlugin.ts"

/** Address and credentials of a context's cluster. */
export interface Entry {
  readonly server: string
  readonly caPem: string
  /** Empty if the client authenticates with a certificate. */
  readonly token: Redacted.Redacted<string>
  readonly certificate?: ClientCertificate
  /** True if the credential expires by itself. */
  readonly expires: boolean
}

export interface KubeconfigFile {
  readonly contexts: ReadonlyArray<string>
  readonly current: string | undefined
  /**
   * Returns the address and credentials of a context. **Errors** `InvalidFleet` for a missing context or one with
   * unsupported settings.
   */
  readonly enter: (context: string) => Effect.Effect<Entry, InvalidFleet | MachineRefused>
}

const Text = Schema.optionalKey(Schema.String)

const File = Schema.Struct({
  "current-context": Text,
  clusters: Schema.Array(
    Schema.Struct({
      name: Schema.String,
      cluster: Schema.Struct({
        server: Schema.String,
        "certificate-authority": Text,
        "certificate-authority-data": Text,
        "insecure-skip-tls-verify": Schema.optionalKey(Schema.Boolean),
        "tls-server-name": Text,
        "proxy-url": Text
      })
    })
  ),
  users: Schema.Array(
    Schema.Struct({
      name: Schema.String,
      user: Schema.Struct({
        token: Text,
        tokenFile: Text,
        "client-certificate": Text,
        "client-certificate-data": Text,
        "client-key": Text,
        "client-key-data": Text,
        exec: Schema.optionalKey(Plugin)
      })
    })
  ),
  contexts: Schema.Array(
    Schema.Struct({ name: Schema.String, context: Schema.Struct({ cluster: Schema.String, user: Schema.String }) })
  )
})
const decodeFile = Schema.decodeUnknownEffect(File)
type Cluster = (typeof File.Type)["clusters"][number]["cluster"]
type User = (typeof File.Type)["users"][number]["user"]

/**
 * Reads a kubeconfig.
 *
 * `source` is a path, or the text itself if it has more than one line. Paths in a file are relative to the file.
 *
 * **Errors** `MachineRefused` if the file cannot be read; `InvalidFleet` if it is not a valid kubeconfig.
 */
export const read = Effect.fnUntraced(function* (
  source: string
): Effect.fn.Return<KubeconfigFile, InvalidFleet | MachineRefused> {
  const isText = source.includes("\n")
  const text = isText ? source : yield* attempt("read the kubeconfig", () => readFile(source, "utf8"))
  const directory = isText ? undefined : dirname(resolve(source))
  const file = yield* Effect.try({ try: () => valueOf(text), catch: () => new Error("not valid YAML") }).pipe(
    Effect.flatMap((value) => decodeFile(value)),
    Effect.mapError(({ message }) => new InvalidFleet({ problem: `the kubeconfig is invalid: ${message}` }))
  )
  for (const list of ["clusters", "users", "contexts"] as const) {
    const names = new Set<string>()
    for (const { name } of file[list]) {
      // kubectl refuses such a file too: it is unclear which credential belongs to which server.
      if (names.has(name)) return yield* new InvalidFleet({ problem: `the kubeconfig has ${name} twice in ${list}` })
      names.add(name)
    }
  }
  const places: Places = { directory }
  return {
    contexts: file.contexts.map(({ name }) => name),
    current: file["current-context"],
    enter: Effect.fnUntraced(function* (name) {
      const context = file.contexts.find((item) => item.name === name)?.context
      if (context === undefined) {
        const known = file.contexts.map((item) => item.name).join(", ")
        return yield* new InvalidFleet({ problem: `the kubeconfig has no context ${name}; it has ${known}` })
      }
      const cluster = file.clusters.find((item) => item.name === context.cluster)?.cluster
      const user = file.users.find((item) => item.name === context.user)?.user
      if (cluster === undefined || user === undefined) {
        const what = cluster === undefined ? `cluster ${context.cluster}` : `user ${context.user}`
        return yield* new InvalidFleet({
          problem: `the context ${name} of the kubeconfig refers to an unknown ${what}`
        })
      }
      const trust = yield* trustOf(name, cluster, places)
      return { ...trust, ...(yield* credentialsOf(name, trust, user, places)) }
    })
  }
})

/** Parses YAML, merge keys included. **Errors** throws for invalid YAML. */
const valueOf = (text: string): unknown => {
  const document = parseDocument(text, { merge: true })
  const [error] = document.errors
  if (error !== undefined) throw error
  visit(document, {
    Map: (_, { items }) => {
      const place = items.findLastIndex(({ key }) => isScalar(key) && key.type === "PLAIN" && key.source === "<<")
      // kubectl lets a merge key overwrite the keys before it; YAML does not.
      if (place > 0) throw new Error("a merge key follows another key")
    }
  })
  return document.toJS()
}

interface Places {
  readonly directory: string | undefined
}

/** Settings that the harness cannot pass on to clients of the cluster. */
const UNSUPPORTED = ["insecure-skip-tls-verify", "tls-server-name", "proxy-url"] as const

const trustOf = Effect.fnUntraced(function* (context: string, cluster: Cluster, places: Places) {
  const unsupported = UNSUPPORTED.find((field) => cluster[field] !== undefined && cluster[field] !== false)
  if (unsupported !== undefined) {
    return yield* new InvalidFleet({
      problem: `the context ${context} of the kubeconfig uses ${unsupported}, which is not supported`
    })
  }
  const caPem = yield* pem(cluster["certificate-authority-data"], cluster["certificate-authority"], places)
  const server = new URL(cluster.server)
  // A path after the host, as in proxies, is part of the address.
  return { server: server.href.replace(/\/$/, ""), caPem: caPem ?? rootCertificates.join("\n") }
})

const credentialsOf = Effect.fnUntraced(function* (
  context: string,
  { server, caPem }: Pick<Entry, "caPem" | "server">,
  user: User,
  places: Places
): Effect.fn.Return<Pick<Entry, "certificate" | "expires" | "token">, InvalidFleet | MachineRefused> {
  const { tokenFile } = user
  const token =
    user.token
    ?? (tokenFile === undefined
      ? undefined
      : yield* attempt("read the token of the kubeconfig", async () =>
          (await readFile(at(tokenFile, places), "utf8")).trim()
        ))
  if (token !== undefined) return { token: Redacted.make(token), expires: false }
  const certificatePem = yield* pem(user["client-certificate-data"], user["client-certificate"], places)
  const keyPem = yield* pem(user["client-key-data"], user["client-key"], places)
  if (certificatePem !== undefined && keyPem !== undefined) {
    return { token: NONE, certificate: { certificatePem, keyPem: Redacted.make(keyPem) }, expires: false }
  }
  if (user.exec !== undefined) return yield* byPlugin(context, user.exec, { server, caPem }, places)
  return yield* new InvalidFleet({
    problem: `the user of the context ${context} has no token, no client certificate and no exec plugin`
  })
})

const NONE = Redacted.make("")

const byPlugin = Effect.fnUntraced(function* (
  context: string,
  plugin: ExecPlugin,
  cluster: Pick<Entry, "caPem" | "server">,
  { directory }: Places
) {
  const { clientCertificateData, clientKeyData, token } = yield* run(plugin, cluster, directory)
  if (token !== undefined) return { token: Redacted.make(token), expires: true }
  if (clientCertificateData !== undefined && clientKeyData !== undefined) {
    const certificate = { certificatePem: clientCertificateData, keyPem: Redacted.make(clientKeyData) }
    return { token: NONE, certificate, expires: true }
  }
  return yield* new InvalidFleet({ problem: `the exec plugin of the context ${context} returned no credential` })
})

const pem = (data: string | undefined, path: string | undefined, places: Places) => {
  if (data !== undefined && data !== "") return Effect.succeed(Buffer.from(data, "base64").toString())
  return path === undefined
    ? Effect.succeed(undefined)
    : attempt("read a certificate of the kubeconfig", () => readFile(at(path, places), "utf8"))
}

const at = (path: string, { directory }: Places): string => (directory === undefined ? path : resolve(directory, path))
