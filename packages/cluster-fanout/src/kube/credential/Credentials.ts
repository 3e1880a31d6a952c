/**
 * Obtains the credentials that are sent with requests to a cluster.
 */
import {
  Cache,
  Clock,
  Context,
  Duration,
  Effect,
  Exit,
  Fiber,
  FileSystem,
  Layer,
  Option,
  Redacted,
  Semaphore
} from "effect"
import { ChildProcessSpawner } from "effect/process"
import type { ClientCertificate, Cluster, Credential, PemSource } from "../../registry/Cluster.ts"
import { ClusterCredentialUnavailable, ClusterError } from "../ClusterError.ts"
import { digest } from "../../registry/ConnectionDigest.ts"
import { KeyedValue } from "../KeyedValue.ts"
import { traced } from "../Traced.ts"
import { type ExecCredential, run } from "./ExecPlugin.ts"
import { type HeaderLines, headers as impersonationHeaders } from "./Impersonate.ts"

/** TLS part of a cluster's credential. **Shape** PEM text. */
export interface TlsMaterial {
  readonly certificateAuthority?: string
  readonly client?: { readonly certificate: Redacted.Redacted; readonly key: Redacted.Redacted }
}

/** The current credential of a cluster, ready to be sent. */
export interface Proof {
  readonly headers: Redacted.Redacted<HeaderLines>
  readonly tls: TlsMaterial
  /** Changes whenever the credential does. */
  readonly id: string
  /** Changes whenever the TLS material does. Connections made with other material must not be used. */
  readonly tlsId: string
}

/**
 * Lifetimes of credentials, in milliseconds.
 *
 * **Shape** `fileMs`: how long file content is cached. `leewayMs`: how long before its expiry a plugin's credential is
 * replaced. `failureMs`: how long a plugin's failure is cached. `renewalMs`: least time between two forced renewals.
 */
export const CredentialTimes = Context.Reference("@quarterdeck/cluster-fanout/credential/Credentials/CredentialTimes", {
  defaultValue: () => ({ fileMs: 2_000, leewayMs: 60_000, failureMs: 5_000, renewalMs: 10_000 })
})

const CAPACITY = 4_096

/**
 * Plugins that run at the same time, for all clusters, so that a fleet that starts together does not exhaust the
 * machine.
 */
export const PluginLanes = Context.Reference<number>("@quarterdeck/cluster-fanout/credential/Credentials/PluginLanes", {
  defaultValue: () => 16
})

export class Credentials extends Context.Service<
  Credentials,
  {
    /**
     * Returns the credential of a cluster: from memory while valid, else from files or the plugin.
     *
     * **Errors** `ClusterCredentialUnavailable`. **Limits** one plugin run at a time per cluster, shared by all
     * callers. The run continues when callers leave, so that a plugin slower than their deadlines still finishes.
     * `PluginLanes` in total.
     */
    readonly prove: (cluster: Cluster) => Effect.Effect<Proof, ClusterError>
    /**
     * Returns a newer credential than one that the server rejected, if there is one.
     *
     * **Limits** forces a plugin run at most once in `renewalMs` per cluster.
     */
    readonly renew: (cluster: Cluster, refused: Proof) => Effect.Effect<Option.Option<Proof>, ClusterError>
  }
>()("@quarterdeck/cluster-fanout/credential/Credentials") {
  static readonly layer = Layer.effect(
    Credentials,
    Effect.suspend(() => make())
  )
}

/** Caches of credentials. */
interface Sources {
  readonly files: Cache.Cache<string, string, string>
  readonly plugins: Cache.Cache<KeyedValue<PluginRun>, Obtained, string>
  readonly runPlugin: (key: KeyedValue<PluginRun>) => Effect.Effect<Obtained, string>
  readonly renewalMs: number
  /**
   * Time at which a plugin's credential was last dropped because the server rejected it, by the connection's
   * `generation`. The next use runs the plugin again. Entries older than `renewalMs` are dropped.
   */
  readonly forced: Map<string, number>
  /**
   * The last `Proof` of each connection, reused while its tokens and certificates are unchanged. This avoids computing
   * its ids for each request.
   */
  readonly proofs: WeakMap<Cluster["connection"], Made>
}

/** A plugin's credential and the time it was obtained. **Units** milliseconds since the epoch. */
interface Obtained {
  readonly credential: ExecCredential
  readonly obtainedAt: number
}

const make = Effect.fnUntraced(function* () {
  const fileSystem = yield* FileSystem.FileSystem
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const times = yield* CredentialTimes
  const scope = yield* Effect.scope
  const lanes = yield* Semaphore.make(yield* PluginLanes)

  const files = yield* Cache.make({
    capacity: CAPACITY,
    timeToLive: Duration.millis(times.fileMs),
    lookup: (path: string) => fileSystem.readFileString(path).pipe(Effect.mapError(() => `${path} cannot be read`))
  })

  const plugins = yield* Cache.makeWith(
    Effect.fnUntraced(function* ({ value: { connection, plugin } }: KeyedValue<PluginRun>) {
      const credential = yield* run(plugin, connection, yield* authorityOf({ files }, connection)).pipe(
        Effect.catchTag("ExecPluginFailed", (error) => Effect.fail(error.problem)),
        Effect.provideService(ChildProcessSpawner.ChildProcessSpawner, spawner),
        (running) => lanes.withPermit(running)
      )
      return { credential, obtainedAt: yield* Clock.currentTimeMillis }
    }),
    {
      capacity: CAPACITY,
      timeToLive: (exit) =>
        Exit.isSuccess(exit) ? lifetime(exit.value, times.leewayMs) : Duration.millis(times.failureMs)
    }
  )
  /**
   * Runs the plugin in a fiber of the layer, so that an interrupted caller neither ends the run nor waits for its end.
   */
  const runPlugin = (key: KeyedValue<PluginRun>) =>
    Effect.flatMap(Effect.forkIn(Cache.get(plugins, key), scope), (running) => Fiber.join(running))

  const sources: Sources = {
    files,
    plugins,
    runPlugin,
    renewalMs: times.renewalMs,
    forced: new Map(),
    proofs: new WeakMap()
  }
  return Credentials.of({
    prove: (cluster) => traced("Credentials.prove", () => ({ cluster: cluster.name }))(prove(sources, cluster)),
    renew: Effect.fn("Credentials.renew")((cluster, refused) => renew(sources, cluster, refused))
  })
})

const pem = ({ files }: Pick<Sources, "files">, source: PemSource): Effect.Effect<string, string> =>
  source._tag === "Data" ? Effect.succeed(Redacted.value(source.pem)) : Cache.get(files, source.path)

const authorityOf = (
  sources: Pick<Sources, "files">,
  { certificateAuthority }: Cluster["connection"]
): Effect.Effect<string | undefined, string> =>
  certificateAuthority === undefined ? Effect.succeed(undefined) : pem(sources, certificateAuthority)

/**
 * Returns the certificate configured for a credential. A plugin's certificate is known only after the plugin has run.
 */
const clientCertificateOf = (credential: Credential): ClientCertificate | undefined => {
  switch (credential._tag) {
    case "None":
    case "Exec":
      return undefined
    case "ClientCertificate":
      return credential
    case "Token":
    case "TokenFile":
    case "Basic":
      return credential.clientCertificate
  }
}

const clientMaterial = Effect.fnUntraced(function* (sources: Sources, client: ClientCertificate) {
  const [certificate, key] = yield* Effect.all([pem(sources, client.certificate), pem(sources, client.key)])
  return { certificate: Redacted.make(certificate), key: Redacted.make(key) }
})

const material = Effect.fnUntraced(function* (
  sources: Sources,
  { connection, generation }: Cluster
): Effect.fn.Return<Material, string> {
  const authority = yield* authorityOf(sources, connection)
  const { credential } = connection
  const client = clientCertificateOf(credential)
  const base = {
    ...(authority !== undefined && { certificateAuthority: authority }),
    ...(client !== undefined && { client: yield* clientMaterial(sources, client) })
  }
  switch (credential._tag) {
    case "None":
    case "ClientCertificate":
      return { tls: base }
    case "Token":
      return { tls: base, authorization: `Bearer ${Redacted.value(credential.token)}` }
    case "TokenFile": {
      const token = (yield* Cache.get(sources.files, credential.path)).trim()
      if (!/^[\x21-\x7e]+$/.test(token)) return yield* Effect.fail(`${credential.path} does not hold a token`)
      return { tls: base, authorization: `Bearer ${token}` }
    }
    case "Basic": {
      const pair = `${credential.username}:${Redacted.value(credential.password)}`
      return { tls: base, authorization: `Basic ${Buffer.from(pair, "utf8").toString("base64")}` }
    }
    case "Exec": {
      const { credential: proven } = yield* sources.runPlugin(pluginKey(connection, generation, credential.plugin))
      return {
        tls: { ...base, ...(proven.certificate && { client: proven.certificate }) },
        ...(proven.token && { authorization: `Bearer ${Redacted.value(proven.token)}` })
      }
    }
  }
})

const prove = Effect.fnUntraced(function* (sources: Sources, cluster: Cluster) {
  const { authorization, tls } = yield* material(sources, cluster).pipe(
    Effect.mapError(
      (problem) => new ClusterError({ cluster: cluster.name, reason: new ClusterCredentialUnavailable({ problem }) })
    )
  )
  const { impersonation } = cluster.connection
  const known = sources.proofs.get(cluster.connection)
  if (known !== undefined && isOf(known, authorization, tls)) return known.proof
  const headers: HeaderLines = {
    ...(authorization !== undefined && { authorization }),
    ...(impersonation && impersonationHeaders(impersonation))
  }
  const tlsId = digest([
    tls.certificateAuthority ?? "",
    tls.client === undefined ? "" : Redacted.value(tls.client.certificate),
    tls.client === undefined ? "" : Redacted.value(tls.client.key)
  ])
  const proof: Proof = { headers: Redacted.make(headers), tls, tlsId, id: digest([authorization ?? "", tlsId]) }
  sources.proofs.set(cluster.connection, { authorization, tls, proof })
  return proof
})

/** A `Proof`, and the header and TLS material that it was made from. */
interface Made {
  readonly authorization: string | undefined
  readonly tls: TlsMaterial
  readonly proof: Proof
}

const isOf = (made: Made, authorization: string | undefined, tls: TlsMaterial): boolean =>
  made.authorization === authorization
  && made.tls.certificateAuthority === tls.certificateAuthority
  && pemOf(made.tls.client?.certificate) === pemOf(tls.client?.certificate)
  && pemOf(made.tls.client?.key) === pemOf(tls.client?.key)

const pemOf = (pem: Redacted.Redacted | undefined): string | undefined => pem && Redacted.value(pem)

const forget = Effect.fnUntraced(function* (
  { files, forced, plugins, renewalMs }: Sources,
  { connection, generation }: Cluster
) {
  const { credential } = connection
  if (credential._tag === "TokenFile") yield* Cache.invalidate(files, credential.path)
  const client = clientCertificateOf(credential)
  for (const source of client === undefined ? [] : [client.certificate, client.key]) {
    if (source._tag === "File") yield* Cache.invalidate(files, source.path)
  }
  if (credential._tag !== "Exec") return
  const now = yield* Clock.currentTimeMillis
  for (const [key, at] of forced) if (now - at >= renewalMs) forced.delete(key)
  if (forced.has(generation)) return
  forced.set(generation, now)
  yield* Cache.invalidate(plugins, pluginKey(connection, generation, credential.plugin))
})

const renew = Effect.fnUntraced(function* (sources: Sources, cluster: Cluster, refused: Proof) {
  const present = yield* prove(sources, cluster)
  if (present.id !== refused.id) return Option.some(present)
  yield* forget(sources, cluster)
  const next = yield* prove(sources, cluster)
  return next.id === refused.id ? Option.none() : Option.some(next)
})

interface Material {
  readonly tls: TlsMaterial
  readonly authorization?: string
}

interface PluginRun {
  readonly connection: Cluster["connection"]
  readonly plugin: Extract<Cluster["connection"]["credential"], { readonly _tag: "Exec" }>["plugin"]
}

const pluginKey = (
  connection: PluginRun["connection"],
  generation: string,
  plugin: PluginRun["plugin"]
): KeyedValue<PluginRun> => new KeyedValue(generation, { connection, plugin })

/** Least lifetime of a plugin's credential, even if it is almost expired when it arrives. */
const SHORTEST_MS = 5_000

const lifetime = ({ credential, obtainedAt }: Obtained, leewayMs: number) => {
  if (credential.expiresAt === undefined) return Duration.infinity
  const left = credential.expiresAt - obtainedAt
  // A short-lived credential is used for most of its lifetime, however long the leeway.
  return Duration.millis(Math.max(SHORTEST_MS, left - Math.min(leewayMs, left / 10)))
}
