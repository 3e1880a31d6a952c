/**
 * Reads kubeconfig files as others wrote them.
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

/** How a context reaches and enters its cluster. It has a lasting token, or whatever else the context has. */
export interface Entry {
  readonly server: string
  readonly caPem: string
  /** Empty where a certificate says who comes. */
  readonly token: Redacted.Redacted<string>
  readonly certificate?: ClientCertificate
  /** Whether the token ends by itself after a while. */
  readonly isPassing: boolean
}

export interface KubeconfigFile {
  readonly contexts: ReadonlyArray<string>
  readonly current: string | undefined
  /** Reads how to enter a context's cluster. **Errors** `InvalidFleet` for a context that is not there or that is odd. */
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
 * `source` is a path, or the text itself, which has more than one line. Paths in a file are relative to it.
 *
 * **Errors** `MachineRefused` when it cannot be read, `InvalidFleet` when it is none.
 */
export const read = Effect.fnUntraced(function* (
  source: string
): Effect.fn.Return<KubeconfigFile, InvalidFleet | MachineRefused> {
  const isText = source.includes("\n")
  const text = isText ? source : yield* attempt("read the kubeconfig", () => readFile(source, "utf8"))
  const directory = isText ? undefined : dirname(resolve(source))
  const file = yield* Effect.try({ try: () => valueOf(text), catch: () => new Error("it is no YAML") }).pipe(
    Effect.flatMap((value) => decodeFile(value)),
    Effect.mapError(({ message }) => new InvalidFleet({ problem: `the kubeconfig is none: ${message}` }))
  )
  for (const list of ["clusters", "users", "contexts"] as const) {
    const names = new Set<string>()
    for (const { name } of file[list]) {
      // kubectl refuses such a file: which of the two servers gets which credential is not known.
      if (names.has(name)) return yield* new InvalidFleet({ problem: `the kubeconfig has ${name} twice in ${list}` })
      names.add(name)
    }
  }
  const places: Places = { directory }
  return {
    contexts: file.contexts.map(({ name }) => name),
    current: file["current-context"],
    enter: Effect.fnUntraced(function* (name) {
      const context = file.contexts.find((one) => one.name === name)?.context
      if (context === undefined) {
        const known = file.contexts.map((one) => one.name).join(", ")
        return yield* new InvalidFleet({ problem: `the kubeconfig has no context ${name}; it has ${known}` })
      }
      const cluster = file.clusters.find((one) => one.name === context.cluster)?.cluster
      const user = file.users.find((one) => one.name === context.user)?.user
      if (cluster === undefined || user === undefined) {
        const what = cluster === undefined ? `cluster ${context.cluster}` : `user ${context.user}`
        return yield* new InvalidFleet({ problem: `the context ${name} of the kubeconfig names no ${what}` })
      }
      const trust = yield* trusted(name, cluster, places)
      return { ...trust, ...(yield* entered(name, trust, user, places)) }
    })
  }
})

/** Reads merge keys too. **Errors** throws for text that is no YAML. */
const valueOf = (text: string): unknown => {
  const document = parseDocument(text, { merge: true })
  const [error] = document.errors
  if (error !== undefined) throw error
  visit(document, {
    Map: (_, { items }) => {
      const place = items.findLastIndex(({ key }) => isScalar(key) && key.type === "PLAIN" && key.source === "<<")
      // kubectl lets a merge key overwrite the keys in front of it, and YAML does not.
      if (place > 0) throw new Error("a merge key stands behind another key")
    }
  })
  return document.toJS()
}

interface Places {
  readonly directory: string | undefined
}

/** What nothing here can pass on to the clients of the cluster. */
const UNSUPPORTED = ["insecure-skip-tls-verify", "tls-server-name", "proxy-url"] as const

const trusted = Effect.fnUntraced(function* (context: string, cluster: Cluster, places: Places) {
  const odd = UNSUPPORTED.find((field) => cluster[field] !== undefined && cluster[field] !== false)
  if (odd !== undefined) {
    return yield* new InvalidFleet({
      problem: `the context ${context} of the kubeconfig uses ${odd}, which is not supported`
    })
  }
  const caPem = yield* pem(cluster["certificate-authority-data"], cluster["certificate-authority"], places)
  const server = new URL(cluster.server)
  // A path behind the host, as proxies have, is part of the address.
  return { server: server.href.replace(/\/$/, ""), caPem: caPem ?? rootCertificates.join("\n") }
})

const entered = Effect.fnUntraced(function* (
  context: string,
  { server, caPem }: Pick<Entry, "caPem" | "server">,
  user: User,
  places: Places
): Effect.fn.Return<Pick<Entry, "certificate" | "isPassing" | "token">, InvalidFleet | MachineRefused> {
  const { tokenFile } = user
  const token =
    user.token
    ?? (tokenFile === undefined
      ? undefined
      : yield* attempt("read the token of the kubeconfig", async () =>
          (await readFile(at(tokenFile, places), "utf8")).trim()
        ))
  if (token !== undefined) return { token: Redacted.make(token), isPassing: false }
  const certificatePem = yield* pem(user["client-certificate-data"], user["client-certificate"], places)
  const keyPem = yield* pem(user["client-key-data"], user["client-key"], places)
  if (certificatePem !== undefined && keyPem !== undefined) {
    return { token: NONE, certificate: { certificatePem, keyPem: Redacted.make(keyPem) }, isPassing: false }
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
  if (token !== undefined) return { token: Redacted.make(token), isPassing: true }
  if (clientCertificateData !== undefined && clientKeyData !== undefined) {
    const certificate = { certificatePem: clientCertificateData, keyPem: Redacted.make(clientKeyData) }
    return { token: NONE, certificate, isPassing: true }
  }
  return yield* new InvalidFleet({ problem: `the exec plugin of the context ${context} gave no credential` })
})

const pem = (data: string | undefined, path: string | undefined, places: Places) => {
  if (data !== undefined && data !== "") return Effect.succeed(Buffer.from(data, "base64").toString())
  return path === undefined
    ? Effect.succeed(undefined)
    : attempt("read a certificate of the kubeconfig", () => readFile(at(path, places), "utf8"))
}

const at = (path: string, { directory }: Places): string => (directory === undefined ? path : resolve(directory, path))
