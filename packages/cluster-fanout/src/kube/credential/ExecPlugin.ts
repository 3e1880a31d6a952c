/**
 * Runs a credential plugin and parses its output.
 */
import { Context, Duration, Effect, Redacted, Schema, Stream } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import type { Connection, ExecPlugin } from "../../registry/Cluster.ts"
import { mask } from "../Masking.ts"

/**
 * A plugin's credential. **Shape** a token, a certificate with its key, or both. Without an expiry it is valid until
 * rejected.
 */
export interface ExecCredential {
  readonly token?: Redacted.Redacted
  readonly certificate?: { readonly certificate: Redacted.Redacted; readonly key: Redacted.Redacted }
  /** Epoch milliseconds. */
  readonly expiresAt?: number
}

/** The plugin returned no usable credential. **Shape** `problem` contains no secret. */
export class ExecPluginFailed extends Schema.TaggedError<ExecPluginFailed>()("ExecPluginFailed", {
  problem: Schema.String
}) {
  override get message(): string {
    return this.problem
  }
}

/**
 * Limits of a plugin: milliseconds of one run, bytes of its output, and characters of its error output in an error
 * message.
 */
export const ExecLimits = Context.Reference("@quarterdeck/cluster-fanout/credential/ExecPlugin/ExecLimits", {
  defaultValue: () => ({ runMs: 30_000, outputBytes: 1024 * 1024, complaintCharacters: 200 })
})

const ERROR_OUTPUT_BYTES = 4096

/**
 * Runs the plugin once.
 *
 * **Shape** the plugin inherits the service's environment, extended by its own `env`. Its standard input is empty.
 *
 * **Errors** `ExecPluginFailed`: not found, failed (with the first line of its error output, secrets masked), too slow,
 * or not an `ExecCredential`. **Limits** `ExecLimits`; a run over its time is killed.
 *
 * **Source** `client.authentication.k8s.io/v1`, KEP-541.
 */
export const run = Effect.fn("ExecPlugin.run")(function* (
  plugin: ExecPlugin,
  connection: Connection,
  authority: string | undefined
) {
  if (plugin.interactiveMode === "Always") {
    return yield* failed(plugin, "needs an interactive prompt, which the service cannot answer")
  }
  const { complaintCharacters, outputBytes, runMs } = yield* ExecLimits
  const command = ChildProcess.make(plugin.command, plugin.args, {
    env: {
      ...Object.fromEntries(plugin.env),
      KUBERNETES_EXEC_INFO: JSON.stringify(execInfo(plugin, connection, authority))
    },
    extendEnv: true,
    stdin: "ignore",
    forceKillAfter: "2 seconds"
  })
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const [code, output, errorOutput] = yield* Effect.scoped(
    Effect.gen(function* () {
      const handle = yield* spawner.spawn(command)
      return yield* Effect.all(
        [handle.exitCode, collect(handle.stdout, outputBytes), collect(handle.stderr, ERROR_OUTPUT_BYTES)],
        { concurrency: "unbounded" }
      )
    })
  ).pipe(
    Effect.mapError((error) => failed(plugin, whyNotRun(plugin, error.reason._tag))),
    Effect.timeoutOrElse({
      duration: Duration.millis(runMs),
      orElse: () => Effect.fail(failed(plugin, `did not end within ${runMs} ms`))
    })
  )
  if (code !== 0) {
    const line = firstLine(errorOutput.bytes, plugin, complaintCharacters)
    return yield* failed(plugin, line === "" ? `ended with ${code}` : `ended with ${code}: ${line}`)
  }
  if (output.cut) return yield* failed(plugin, `printed more than ${outputBytes} bytes`)
  return yield* read(plugin, output.bytes.toString("utf8"))
})

/**
 * Collects output up to a limit and discards the rest. Reads everything, so that the plugin never blocks on a full
 * pipe.
 */
const collect = <E>(output: Stream.Stream<Uint8Array, E>, limit: number) =>
  Stream.runFold(
    output,
    () => ({ bytes: Buffer.alloc(0), cut: false }),
    ({ bytes, cut }, chunk) => {
      const room = limit - bytes.length
      return room === 0
        ? { bytes, cut: cut || chunk.length > 0 }
        : { bytes: Buffer.concat([bytes, chunk.subarray(0, room)]), cut: cut || chunk.length > room }
    }
  )

const execInfo = (plugin: ExecPlugin, connection: Connection, authority: string | undefined) => ({
  kind: "ExecCredential",
  apiVersion: plugin.apiVersion,
  spec: {
    interactive: false,
    ...(plugin.provideClusterInfo && {
      cluster: {
        server: connection.server,
        ...(connection.tlsServerName !== undefined && { "tls-server-name": connection.tlsServerName }),
        ...(connection.insecureSkipTlsVerify && { "insecure-skip-tls-verify": true }),
        ...(authority !== undefined && {
          "certificate-authority-data": Buffer.from(authority, "utf8").toString("base64")
        }),
        ...(connection.proxyUrl !== undefined && { "proxy-url": connection.proxyUrl }),
        ...(plugin.config !== undefined && { config: plugin.config })
      }
    })
  }
})

const Printed = Schema.fromJsonString(
  Schema.Struct({
    kind: Schema.Literal("ExecCredential"),
    apiVersion: Schema.String,
    status: Schema.Struct({
      token: Schema.optionalKey(Schema.NullOr(Schema.String)),
      clientCertificateData: Schema.optionalKey(Schema.NullOr(Schema.String)),
      clientKeyData: Schema.optionalKey(Schema.NullOr(Schema.String)),
      expirationTimestamp: Schema.optionalKey(Schema.NullOr(Schema.String))
    })
  })
)

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/

const read = Effect.fnUntraced(function* (
  plugin: ExecPlugin,
  text: string
): Effect.fn.Return<ExecCredential, ExecPluginFailed> {
  // The cause is dropped: it would quote the output.
  const { apiVersion, status } = yield* Schema.decodeUnknownEffect(Printed)(text).pipe(
    Effect.mapError(() => failed(plugin, "did not print an ExecCredential with a status"))
  )
  if (apiVersion !== plugin.apiVersion)
    return yield* failed(plugin, `printed another version than ${plugin.apiVersion}`)
  const { clientCertificateData: certificate, clientKeyData: key, expirationTimestamp, token } = status
  if (Boolean(certificate) !== Boolean(key))
    return yield* failed(plugin, "printed a certificate without a key, or a key without a certificate")
  if (!token && !certificate) return yield* failed(plugin, "printed neither a token nor a certificate")
  if (token && !/^[\x21-\x7e]+$/.test(token))
    return yield* failed(plugin, "printed a token with characters that an HTTP header cannot contain")
  if (expirationTimestamp && !INSTANT.test(expirationTimestamp)) {
    return yield* failed(plugin, "printed an expirationTimestamp that is not RFC 3339")
  }
  return {
    ...(token && { token: Redacted.make(token) }),
    ...(certificate && key && { certificate: { certificate: Redacted.make(certificate), key: Redacted.make(key) } }),
    ...(expirationTimestamp && { expiresAt: Date.parse(expirationTimestamp) })
  }
})

const failed = (plugin: ExecPlugin, problem: string): ExecPluginFailed =>
  new ExecPluginFailed({ problem: `exec plugin ${JSON.stringify(plugin.command)} ${problem}` })

const whyNotRun = (plugin: ExecPlugin, tag: string): string => {
  if (tag === "PermissionDenied") return "is not executable by the service"
  if (tag !== "NotFound") return `could not be run (${tag})`
  return plugin.installHint === undefined
    ? "was not found"
    : `was not found: ${mask(plugin.installHint, { limit: 500 })}`
}

/** Returns the first line of the error output. Masks the plugin's own arguments and variables, which may be secret. */
const firstLine = (errorOutput: Buffer, plugin: ExecPlugin, limit: number): string => {
  const line =
    errorOutput
      .toString("utf8")
      .split(/[\r\n]+/)
      .find((text) => text.trim() !== "") ?? ""
  const secrets = [...plugin.env.map(([, value]) => Redacted.value(value)), ...plugin.args]
  return mask(line, { secrets, limit })
}
