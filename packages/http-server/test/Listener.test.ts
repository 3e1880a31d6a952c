import { assert, describe, it } from "@effect/vitest"
import { NodeServices } from "@effect/platform-node"
import * as ServerCertificate from "@quarterdeck/embedded-cluster/ServerCertificate"
import { Problem } from "@quarterdeck/contract/Problem"
import { Deferred, Effect, Fiber, FileSystem, Logger, Path, Redacted, Schema } from "effect"
import { TestClock } from "effect/testing"
import { generateKeyPairSync } from "node:crypto"
import { request } from "node:http"
import { connect } from "node:tls"
import * as Listener from "../src/Listener.ts"

const options = { host: "127.0.0.1", port: 0, shutdownMs: 5_000 }

const decodeProblem = Schema.decodeUnknownEffect(Schema.fromJsonString(Problem))

const get = (url: string) =>
  Effect.callback<{ readonly status: number; readonly text: string }, Error>((resume) => {
    const outgoing = request(url, { agent: false }, (incoming) => {
      let text = ""
      incoming.setEncoding("utf8")
      incoming.on("data", (chunk: string) => {
        text += chunk
      })
      incoming.on("end", () => resume(Effect.succeed({ status: incoming.statusCode ?? 0, text })))
      incoming.on("error", (error) => resume(Effect.fail(error)))
    })
    outgoing.on("error", (error) => resume(Effect.fail(error)))
    outgoing.end()
  })

/** The subject of the certificate that a listener shows. */
const subjectOf = (port: number) =>
  Effect.callback<string | undefined, Error>((resume) => {
    // The certificate itself is what the test looks at, so nothing else has to vouch for it.
    const socket = connect({ host: "127.0.0.1", port, rejectUnauthorized: false }, () => {
      const { CN } = socket.getPeerCertificate().subject
      resume(Effect.succeed(Array.isArray(CN) ? CN[0] : CN))
      socket.end()
    })
    socket.on("error", (error: Error) => resume(Effect.fail(error)))
    return Effect.sync(() => socket.destroy())
  })

/** Asks again until the answer is what is waited for; the test's own limit ends it. */
const until = <A, E, R>(ask: Effect.Effect<A, E, R>, accepts: (value: A) => boolean) =>
  Effect.eventually(Effect.filterOrFail(ask, accepts, () => "not yet" as const))

const logLines = () => {
  const lines: Array<string> = []
  return { lines, layer: Logger.layer([Logger.make(({ message }) => lines.push(String(message)))]) }
}

describe("Listener", () => {
  it.effect("does not start with an empty certificate, or with the key of another one", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const directory = yield* files.makeTempDirectoryScoped()
      const [certFile, keyFile] = [`${directory}/tls.crt`, `${directory}/tls.key`]
      const { certificatePem, keyPem } = yield* ServerCertificate.issue("own")
      const other = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({
        format: "pem",
        type: "pkcs8"
      })
      const codeOf = Effect.fnUntraced(function* (cert: string, key: string) {
        yield* files.writeFileString(certFile, cert)
        yield* files.writeFileString(keyFile, key)
        const tls = { certFile, keyFile }
        const error = yield* Effect.flip(Listener.listen((_request, response) => response.end(), { ...options, tls }))
        return error._tag === "CertificateUnusable" ? error.code : error._tag
      })
      assert.strictEqual(yield* codeOf("", Redacted.value(keyPem)), "ERR_OSSL_PEM_NO_START_LINE")
      assert.strictEqual(yield* codeOf(certificatePem, ""), "ERR_OSSL_UNSUPPORTED")
      assert.strictEqual(yield* codeOf(certificatePem, String(other)), "ERR_OSSL_X509_KEY_VALUES_MISMATCH")
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("shows a certificate that was renewed, and keeps the last good one while the file is broken", () => {
    const logged = logLines()
    return Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const directory = yield* files.makeTempDirectoryScoped()
      const tls = { certFile: path.join(directory, "tls.crt"), keyFile: path.join(directory, "tls.key") }
      const write = Effect.fnUntraced(function* (name: string) {
        const { certificatePem, keyPem } = yield* ServerCertificate.issue(name)
        yield* files.writeFileString(tls.keyFile, Redacted.value(keyPem))
        yield* files.writeFileString(tls.certFile, certificatePem)
      })
      yield* write("first")
      const { port, url } = yield* Listener.listen((_request, response) => response.end(), { ...options, tls })
      assert.match(url, /^https:/)
      const shown = Effect.andThen(TestClock.adjust("5 seconds"), subjectOf(port))
      assert.include(yield* shown, "first")

      for (const broken of ["no certificate", ""]) {
        const before = logged.lines.length
        yield* files.writeFileString(tls.certFile, broken)
        yield* until(
          Effect.andThen(
            shown,
            Effect.sync(() => logged.lines.slice(before))
          ),
          (lines) => lines.some((line) => line.endsWith("the last good certificate stays in use"))
        )
        assert.include(yield* shown, "first")
      }

      yield* write("second")
      yield* until(shown, (subject) => subject?.includes("second") === true)
    }).pipe(Effect.provide([NodeServices.layer, logged.layer]))
  })

  it.live("names the port that it was given when 0 was asked for", () =>
    Effect.gen(function* () {
      const { port, url } = yield* Listener.listen((_request, response) => response.end("hello"), options)
      assert.isAbove(port, 0)
      assert.deepStrictEqual(yield* get(url), { status: 200, text: "hello" })
    })
  )

  it.live("says in one line that the port is in use, and how to choose another", () =>
    Effect.gen(function* () {
      const { port } = yield* Listener.listen((_request, response) => response.end(), options)
      const error = yield* Effect.flip(Listener.listen((_request, response) => response.end(), { ...options, port }))
      assert.strictEqual(
        error.message,
        `cannot listen on 127.0.0.1:${port}: the port is in use; choose another by --port or QUARTERDECK_PORT`
      )
    })
  )

  it.live("puts requests off until there is somebody to serve them", () =>
    Effect.gen(function* () {
      const bound = yield* Listener.bind(options)
      const early = yield* get(bound.url)
      assert.strictEqual(early.status, 503)
      const { code } = yield* decodeProblem(early.text)
      assert.strictEqual(code, "starting")
      // It lives: a liveness probe must not end what only waits.
      assert.deepStrictEqual(yield* get(`${bound.url}/healthz`), { status: 200, text: "ok" })
      assert.strictEqual((yield* get(`${bound.url}/readyz`)).status, 503)
      yield* bound.serve((_request, response) => response.end("hello"))
      assert.deepStrictEqual(yield* get(bound.url), { status: 200, text: "hello" })
    })
  )

  it.live("puts requests off under an id of their own, or the caller's", () =>
    Effect.gen(function* () {
      const { url } = yield* Listener.bind(options)
      const idOf = Effect.fnUntraced(function* (headers: Record<string, string>) {
        const response = yield* Effect.promise(() => fetch(url, { headers }))
        const { requestId } = yield* decodeProblem(yield* Effect.promise(() => response.text()))
        assert.strictEqual(response.headers.get("x-request-id"), requestId)
        return requestId
      })
      assert.match(yield* idOf({}), /^[0-9a-f-]{36}$/)
      assert.strictEqual(yield* idOf({ "x-request-id": "from-a-proxy.1" }), "from-a-proxy.1")
      assert.notInclude(yield* idOf({ "x-request-id": "qd_meant-for-another-header" }), "qd_")
    })
  )

  it.live("finishes the reply in flight and takes no new connection when it stops", () =>
    Effect.gen(function* () {
      const arrived = yield* Deferred.make<void>()
      const finish = yield* Deferred.make<void>()
      const context = yield* Effect.context<never>()
      const scope = yield* Effect.scope
      const stopped = yield* Deferred.make<void>()
      const listening = yield* Deferred.make<Listener.Listener>()
      const stop = yield* Deferred.make<void>()
      yield* Effect.forkIn(
        Effect.andThen(
          Effect.scoped(
            Effect.gen(function* () {
              const listener = yield* Listener.listen((_request, response) => {
                Deferred.doneUnsafe(arrived, Effect.void)
                Effect.runForkWith(context)(
                  Effect.andThen(
                    Deferred.await(finish),
                    Effect.sync(() => response.end("whole"))
                  )
                )
              }, options)
              yield* Deferred.succeed(listening, listener)
              yield* Deferred.await(stop)
            })
          ),
          Deferred.succeed(stopped, undefined)
        ),
        scope
      )
      const { url } = yield* Deferred.await(listening)
      const reply = yield* Effect.forkChild(get(url), { startImmediately: true })
      yield* Deferred.await(arrived)
      yield* Deferred.succeed(stop, undefined)
      const refused = yield* Effect.flip(get(url)).pipe(Effect.eventually)
      assert.include(refused.message, "ECONNREFUSED")
      yield* Deferred.succeed(finish, undefined)
      assert.deepStrictEqual(yield* Fiber.join(reply), { status: 200, text: "whole" })
      yield* Deferred.await(stopped)
    })
  )

  it.live("cuts what is still in flight after shutdownMs", () =>
    Effect.gen(function* () {
      const arrived = yield* Deferred.make<void>()
      const reply = yield* Effect.scoped(
        Effect.gen(function* () {
          const { url } = yield* Listener.listen(() => Deferred.doneUnsafe(arrived, Effect.void), {
            ...options,
            shutdownMs: 50
          })
          const reply = yield* Effect.forkDetach(Effect.flip(get(url)))
          yield* Deferred.await(arrived)
          return reply
        })
      )
      assert.include((yield* Fiber.join(reply)).message, "hang up")
    })
  )
})
