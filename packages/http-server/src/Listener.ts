/**
 * The HTTP or HTTPS listener, with graceful shutdown.
 */
import * as Problem from "@quarterdeck/contract/Problem"
import { Deferred, Effect, Redacted, Schedule, Schema, type Scope } from "effect"
import { createPrivateKey, X509Certificate } from "node:crypto"
import { readFile } from "node:fs/promises"
import * as Http from "node:http"
import * as Https from "node:https"
import type { SecureContextOptions } from "node:tls"
import * as RequestId from "./http/request/RequestId.ts"

export interface ListenerOptions {
  readonly host: string
  /** 0 chooses a free port. */
  readonly port: number
  readonly tls?: { readonly certFile: string; readonly keyFile: string }
  /** Time for replies in flight to finish when the service stops, in milliseconds. */
  readonly shutdownMs: number
}

/** An open listener. **Example** `{ host: "127.0.0.1", port: 8080, url: "http://127.0.0.1:8080" }` */
export interface Listener {
  readonly host: string
  readonly port: number
  readonly url: string
}

/** A listener that answers 503 `starting` until `serve` installs a handler. */
export interface BoundListener extends Listener {
  /**
   * Serves requests until the scope closes. The listener then accepts no new connections, waits up to `shutdownMs` for
   * replies in flight, and closes the remaining connections.
   */
  readonly serve: (handler: Http.RequestListener) => Effect.Effect<void, never, Scope.Scope>
}

/** The listener cannot open its socket. **Shape** `code` is the system's: `EADDRINUSE`, `EACCES`, `EADDRNOTAVAIL`. */
export class CannotListen extends Schema.TaggedError<CannotListen>()("CannotListen", {
  host: Schema.String,
  port: Schema.Natural,
  code: Schema.String
}) {
  override get message(): string {
    const where = `${this.host}:${this.port}`
    switch (this.code) {
      case "EADDRINUSE":
        return `cannot listen on ${where}: the port is in use; choose another by --port or QUARTERDECK_PORT`
      case "EACCES":
        return `cannot listen on ${where}: not permitted; choose a port above 1023 by --port or QUARTERDECK_PORT`
      case "EADDRNOTAVAIL":
        return `cannot listen on ${where}: the machine does not have that address; set --host or QUARTERDECK_HOST`
      default:
        return `cannot listen on ${where}: ${this.code}`
    }
  }
}

/** The certificate or its key is unusable. **Shape** `code` comes from the system or OpenSSL, without file content. */
export class CertificateUnusable extends Schema.TaggedError<CertificateUnusable>()("CertificateUnusable", {
  certFile: Schema.String,
  keyFile: Schema.String,
  code: Schema.String
}) {
  override get message(): string {
    return `server.tls: cannot use ${this.certFile} with ${this.keyFile} (${this.code})`
  }
}

const CERTIFICATE_CHECK = "5 seconds"

/**
 * Opens the socket. Call it before starting other parts, so that a port in use stops the startup early.
 *
 * **Errors** `CannotListen`, `CertificateUnusable`.
 *
 * **Limits** 16 KiB of request headers (431 above that), 60 s to receive a whole request. The listener checks the
 * certificate files every 5 s. If they become unusable, the last good certificate stays in use.
 */
export const bind = Effect.fn("Listener.bind")(function* (
  options: ListenerOptions
): Effect.fn.Return<BoundListener, CannotListen | CertificateUnusable, Scope.Scope> {
  const server = yield* create(refuseWhileStarting, options)
  const address = yield* open(server, options)
  yield* Effect.addFinalizer(() => close(server, 0))
  const host = address.family === "IPv6" ? `[${address.address}]` : address.address
  return {
    host: address.address,
    port: address.port,
    url: `${options.tls === undefined ? "http" : "https"}://${host}:${address.port}`,
    serve: (serve) =>
      Effect.acquireRelease(
        Effect.sync(() => {
          server.off("request", refuseWhileStarting)
          server.on("request", serve)
        }),
        () => close(server, options.shutdownMs)
      )
  }
})

/**
 * Answers requests during startup. `/healthz` succeeds, so that a liveness probe does not restart a process that waits
 * for its data directory.
 */
const refuseWhileStarting: Http.RequestListener = (request, response) => {
  const requestId = RequestId.from(request.headers[RequestId.HEADER])
  if (request.method === "GET" && request.url === "/healthz") {
    response.writeHead(200, { "content-type": "text/plain; charset=utf-8", [RequestId.HEADER]: requestId })
    response.end("ok")
    return
  }
  const problem = Problem.make("starting", { detail: "the server is still starting; retry in 1 s", requestId })
  response.writeHead(problem.status, {
    "content-type": "application/problem+json",
    "retry-after": "1",
    [RequestId.HEADER]: requestId
  })
  response.end(JSON.stringify(problem))
}

/** Opens a socket and serves its requests until the scope closes; see `bind`. */
export const listen = Effect.fn("Listener.listen")(function* (
  handler: Http.RequestListener,
  options: ListenerOptions
): Effect.fn.Return<Listener, CannotListen | CertificateUnusable, Scope.Scope> {
  const bound = yield* bind(options)
  yield* bound.serve(handler)
  return bound
})

const LIMITS = { requestTimeout: 60_000, headersTimeout: 30_000, keepAliveTimeout: 65_000, maxHeaderSize: 16_384 }

const create = Effect.fnUntraced(function* (handler: Http.RequestListener, { tls }: ListenerOptions) {
  if (tls === undefined) return Http.createServer(LIMITS, handler)
  let pair = yield* readPair(tls)
  const server = yield* Effect.try({
    try: () => Https.createServer({ ...LIMITS, ...secureContextOf(pair) }, handler),
    catch: (cause) => unusable(tls, cause)
  })
  const refresh = Effect.gen(function* () {
    const next = yield* readPair(tls)
    if (same(next, pair)) return
    yield* Effect.try({
      try: () => server.setSecureContext(secureContextOf(next)),
      catch: (cause) => unusable(tls, cause)
    })
    pair = next
    yield* Effect.logInfo("the listener loaded a new certificate")
  }).pipe(Effect.catch((error) => Effect.logWarning(`${error.message}; the last good certificate stays in use`)))
  yield* Effect.forkScoped(Effect.repeat(refresh, Schedule.spaced(CERTIFICATE_CHECK)))
  return server
})

interface Pair {
  readonly cert: string
  readonly key: Redacted.Redacted
}

const readPair = (tls: NonNullable<ListenerOptions["tls"]>) =>
  Effect.tryPromise({
    try: async (signal): Promise<Pair> => ({
      cert: await readFile(tls.certFile, { encoding: "utf8", signal }),
      key: Redacted.make(await readFile(tls.keyFile, { encoding: "utf8", signal }))
    }),
    catch: (cause) => unusable(tls, cause)
  }).pipe(
    Effect.flatMap((pair) => Effect.try({ try: () => verified(pair), catch: (cause) => unusable(tls, cause) })),
    Effect.flatMap((pair) => (pair === undefined ? Effect.fail(mismatch(tls)) : Effect.succeed(pair)))
  )

/**
 * Returns the pair if the key belongs to the certificate, else `undefined`. Throws if either cannot be parsed.
 *
 * Node accepts an empty text as "no certificate". Without this check, a half-written file would replace the good one.
 */
const verified = (pair: Pair): Pair | undefined =>
  new X509Certificate(pair.cert).checkPrivateKey(createPrivateKey(Redacted.value(pair.key))) ? pair : undefined

/** Returns the options of a TLS context. A new context keeps no option of the old one, so all must be repeated. */
const secureContextOf = ({ cert, key }: Pair): SecureContextOptions => ({
  cert,
  key: Redacted.value(key),
  minVersion: "TLSv1.2"
})

const same = (one: Pair, other: Pair): boolean =>
  one.cert === other.cert && Redacted.value(one.key) === Redacted.value(other.key)

const unusable = (tls: NonNullable<ListenerOptions["tls"]>, cause: unknown) =>
  new CertificateUnusable({ ...tls, code: codeOf(cause) })

/** Makes the error for a key that does not belong to the certificate, with OpenSSL's code. */
const mismatch = (tls: NonNullable<ListenerOptions["tls"]>) =>
  new CertificateUnusable({ ...tls, code: "ERR_OSSL_X509_KEY_VALUES_MISMATCH" })

const open = (server: Http.Server | Https.Server, { host, port }: ListenerOptions) =>
  Effect.callback<{ readonly address: string; readonly family: string; readonly port: number }, CannotListen>(
    (resume) => {
      const refused = (cause: unknown) => resume(Effect.fail(new CannotListen({ host, port, code: codeOf(cause) })))
      server.once("error", refused)
      server.listen({ host, port }, () => {
        server.off("error", refused)
        const address = server.address()
        resume(
          address === null || typeof address === "string"
            ? Effect.die("a TCP listener has an address")
            : Effect.succeed(address)
        )
      })
    }
  )

const close = Effect.fnUntraced(function* (server: Http.Server | Https.Server, shutdownMs: number) {
  if (!server.listening) return
  const closed = yield* Deferred.make<void>()
  server.close(() => Deferred.doneUnsafe(closed, Effect.void))
  // A busy connection becomes idle after its reply, and would stay open until its keep-alive timeout.
  const closeIdle = Effect.sync(() => server.closeIdleConnections())
  yield* Deferred.await(closed).pipe(
    Effect.raceFirst(Effect.andThen(Effect.repeat(closeIdle, Schedule.spaced("20 millis")), Effect.never)),
    Effect.timeoutOrElse({
      duration: shutdownMs,
      orElse: () =>
        Effect.logWarning("the shutdown timeout (server.shutdownMs) ended replies still in flight").pipe(
          Effect.andThen(Effect.sync(() => server.closeAllConnections()))
        )
    })
  )
})

const codeOf = (cause: unknown): string =>
  cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : "unknown"
