/** The audit's export, to a real file, a real syslog listener over TLS and a real webhook, over restarts. */
import { assert, describe, it } from "@effect/vitest"
import * as ServerCertificate from "@quarterdeck/embedded-cluster/ServerCertificate"
import { eventually } from "@quarterdeck/harness"
import { AuditExporter, AuditKey, AuditStore, DiskReserve } from "@quarterdeck/keys"
import type { AuditFacts } from "@quarterdeck/keys/AuditEvent"
import { DateTime, Effect, Layer, Metric, Redacted, Schema } from "effect"
import { createHash, createHmac } from "node:crypto"
import { existsSync } from "node:fs"
import { appendFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { createServer as createHttps } from "node:https"
import type { Server } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createServer as createTls } from "node:tls"
import * as AuditSinks from "../../src/services/AuditSinks.ts"
import type { ExportPlace } from "../../src/settings/AuditRows.ts"

const KEY = new Uint8Array(32).fill(7)
const SECRET = "a secret of the receiver"
const WITHIN = { within: "20 seconds" } as const

const directory = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "quarterdeck-export-"))),
  (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
)

const event = (number: number): AuditFacts => ({
  at: DateTime.makeUnsafe(number),
  actor: { kind: "key", keyId: "key_1", name: 'quoted "name"' },
  via: "rest",
  address: "192.0.2.1",
  resource: "apiKeys",
  verb: "create",
  route: "/api/v1/apiKeys",
  target: { asked: "", clusters: [] },
  decision: "allow",
  status: 201,
  requestId: `r-${number}`
})

const append = (from: number, to: number) =>
  Effect.flatMap(AuditStore.AuditStore, (store) =>
    store.append(Array.from({ length: to - from + 1 }, (_, index) => event(from + index)))
  )

interface World {
  readonly path: string
  readonly place: ExportPlace
  readonly allowLoopback?: boolean
}

/** Runs a server's audit, with its export, until the body ends. */
const running = <A, E>(
  { allowLoopback = true, path, place }: World,
  body: Effect.Effect<A, E, AuditStore.AuditStore>
) =>
  Effect.gen(function* () {
    const settings = { place, secretFile: join(path, "secret"), caFile: join(path, "ca.pem") }
    const sink = yield* AuditSinks.make(settings, { allowedHosts: [], allowLoopback })
    const layers = Layer.fresh(AuditExporter.layer({ directory: path, sink })).pipe(
      Layer.provideMerge(Layer.fresh(AuditStore.AuditStore.layerSqlite({ directory: path }))),
      Layer.provide(Layer.succeed(AuditKey.AuditKey, Redacted.make(KEY)))
    )
    return yield* Effect.scoped(Effect.provide(body, layers))
  })

const decodeHead = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Struct({
      head: Schema.Struct({
        number: Schema.Int,
        hash: Schema.String,
        atMs: Schema.Int,
        signature: Schema.String
      })
    })
  )
)

const LINE = /^\{"id":"(\d+)",(.*),"hash":"([0-9a-f]{64})","previousHash":"([0-9a-f]{64})"\}$/

/** Proves lines as a receiver can: each event's hash, the chain from one to the next, and each signed head. */
const proven = (lines: ReadonlyArray<string>): ReadonlyArray<number> => {
  const numbers: Array<number> = []
  let last = { number: 0, hash: "0".repeat(64) }
  for (const line of lines) {
    const [, id = "", content = "", hash = "", previousHash = ""] = LINE.exec(line) ?? []
    if (id === "") {
      const { head } = decodeHead(line)
      assert.deepInclude(head, last)
      const signed = `quarterdeck audit head\n${head.number}\n${head.hash}\n${head.atMs}`
      assert.strictEqual(head.signature, createHmac("sha256", KEY).update(signed).digest("hex"))
      continue
    }
    assert.strictEqual(createHash("sha256").update(`${id}\n${previousHash}\n{${content}}`).digest("hex"), hash)
    assert.strictEqual(previousHash, last.hash)
    last = { number: Number(id), hash }
    numbers.push(last.number)
  }
  return numbers
}

/** A delivery whose server was stopped before it kept its position comes again, as it was. */
const onceEach = (lines: ReadonlyArray<string>): ReadonlyArray<string> => [...new Set(lines)]

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

const listen = (server: Server, path: string) =>
  Effect.acquireRelease(
    Effect.callback<number>((resume) => {
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0))
      })
    }),
    () => Effect.sync(() => server.close())
  ).pipe(Effect.tap(() => Effect.promise(() => writeFile(join(path, "secret"), `${SECRET}\n`))))

const certified = Effect.fnUntraced(function* (path: string) {
  const { certificatePem, keyPem } = yield* ServerCertificate.issue("siem")
  yield* Effect.promise(() => writeFile(join(path, "ca.pem"), certificatePem))
  return { cert: certificatePem, key: Redacted.value(keyPem) }
})

const metric = (id: string) =>
  Effect.map(Metric.snapshot, (all) => {
    const found = all.find((one) => one.id === id)
    return found?.type === "Gauge" ? Number(found.state.value) : undefined
  })

describe("the export of the audit", () => {
  it.live("appends to a file, goes on after a restart where it stopped, and ends a line that was cut off", () =>
    Effect.gen(function* () {
      const path = yield* directory
      const target = join(path, "audit.ndjson")
      const world: World = { path, place: { _tag: "File", path: target } }
      const lines = Effect.promise(() => readFile(target, "utf8").catch(() => "")).pipe(
        Effect.map((text) => onceEach(text.split("\n").filter((line) => line !== "")))
      )
      const exported = (count: number) =>
        eventually(
          `${count} events are exported`,
          lines,
          (found) => found.filter((line) => LINE.test(line)).length === count,
          WITHIN
        )
      yield* running(
        world,
        Effect.gen(function* () {
          yield* append(1, 1_200)
          yield* exported(1_200)
          yield* eventually(
            "nothing is behind",
            metric("quarterdeck_audit_export_lag_seconds"),
            (lag) => lag === 0,
            WITHIN
          )
        })
      )
      assert.deepStrictEqual(proven(yield* lines), upTo(1_200))
      yield* running(world, Effect.andThen(append(1_201, 1_202), exported(1_202)))
      assert.deepStrictEqual(proven(yield* lines), upTo(1_202))
      yield* Effect.promise(() => appendFile(target, '{"id":"12'))
      yield* running(world, Effect.andThen(append(1_203, 1_203), exported(1_203)))
      const all = yield* lines
      assert.include(all, '{"id":"12')
      assert.deepStrictEqual(proven(all.filter((line) => line !== '{"id":"12')), upTo(1_203))
    })
  )

  it.live("writes no file while the disk of the stores is full, so that the reserve is left to revocations", () =>
    Effect.gen(function* () {
      const path = yield* directory
      const place = { _tag: "File", path: join(path, "events.ndjson") } as const
      const settings = { place, secretFile: undefined, caFile: undefined }
      let isFull = true
      const sink = yield* AuditSinks.make(settings, { allowedHosts: [], allowLoopback: false }).pipe(
        Effect.provideService(DiskReserve.CurrentReserve, {
          isFull: () => isFull,
          giveUp: Effect.void,
          track: (write) => write
        })
      )
      const delivery = { id: "one", events: ["{}"], head: "{}" }
      const { problem } = yield* Effect.flip(sink.deliver(delivery))
      assert.strictEqual(problem, "the disk of the data directory is full")
      assert.isFalse(existsSync(place.path))
      isFull = false
      yield* sink.deliver(delivery)
      assert.strictEqual(yield* Effect.promise(() => readFile(place.path, "utf8")), "{}\n{}\n")
    })
  )

  it.live("sends RFC 5424 messages over TLS, and goes on after a restart", () =>
    Effect.gen(function* () {
      const path = yield* directory
      const received: Array<string> = []
      const server = createTls(yield* certified(path), (socket) => {
        const chunks: Array<Buffer> = []
        socket.on("data", (chunk: Buffer) => chunks.push(chunk))
        socket.on("end", () => received.push(...framesOf(Buffer.concat(chunks))))
        socket.on("error", () => undefined)
      })
      const port = yield* listen(server, path)
      const world: World = { path, place: { _tag: "Syslog", host: "127.0.0.1", port } }
      const contents = Effect.sync(() => onceEach(received.map((message) => SYSLOG.exec(message)?.[1] ?? message)))
      const exported = (count: number) =>
        eventually(
          `${count} events are exported`,
          contents,
          (found) => found.filter((line) => LINE.test(line)).length === count,
          WITHIN
        )
      yield* running(world, Effect.andThen(append(1, 3), exported(3)))
      yield* running(world, Effect.andThen(append(4, 5), exported(5)))
      assert.deepStrictEqual(proven(yield* contents), upTo(5))
      assert.match(received[0] ?? "", /^<110>1 1970-01-01T00:00:00\.001Z \S+ quarterdeck \d+ event - \{"id":"1",/)
    })
  )

  it.live("posts signed deliveries to a webhook, repeats a refused one under its id, and follows no redirect", () =>
    Effect.gen(function* () {
      const path = yield* directory
      const calls: Array<{ readonly id: string; readonly body: string; readonly isSigned: boolean }> = []
      let status = 503
      const server = createHttps(yield* certified(path), (request, response) => {
        const chunks: Array<Buffer> = []
        request.on("data", (chunk: Buffer) => chunks.push(chunk))
        request.on("end", () => {
          const body = Buffer.concat(chunks).toString("utf8")
          const [, seconds = "", given = ""] =
            /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(request.headers["quarterdeck-signature"])) ?? []
          const expected = createHmac("sha256", SECRET).update(`${seconds}.${body}`).digest("hex")
          calls.push({ id: String(request.headers["quarterdeck-delivery"]), body, isSigned: given === expected })
          response.writeHead(status, { location: "/elsewhere" }).end()
        })
      })
      const port = yield* listen(server, path)
      const url = `https://127.0.0.1:${port}/hook`
      const world: World = { path, place: { _tag: "Webhook", url, host: "127.0.0.1" } }
      const called = (count: number) =>
        eventually(
          `${count} calls came`,
          Effect.sync(() => calls.length),
          (found) => found >= count,
          WITHIN
        )
      yield* running(
        world,
        Effect.gen(function* () {
          yield* append(1, 3)
          yield* called(1)
          yield* eventually("it lags", metric("quarterdeck_audit_export_lag_seconds"), (lag) => (lag ?? 0) > 0, WITHIN)
          status = 302
          yield* called(2)
          // A failing export holds up no event.
          yield* append(4, 5)
        })
      )
      // The server was stopped with a delivery that was not taken: the next start repeats it as it was.
      status = 204
      const repeated = calls.length
      yield* running(world, called(repeated + 2))
      const taken = calls.slice(repeated)
      assert.strictEqual(taken[0]?.id, calls[0]?.id)
      assert.strictEqual(taken[0]?.body, calls[0]?.body)
      assert.notStrictEqual(taken[1]?.id, taken[0]?.id)
      assert.isTrue(calls.every(({ isSigned }) => isSigned))
      const lines = taken.flatMap(({ body }) => body.split("\n").filter((line) => line !== ""))
      assert.deepStrictEqual(proven(lines), upTo(5))
    })
  )

  it.live("connects to no loopback webhook unless that is allowed", () =>
    Effect.gen(function* () {
      const path = yield* directory
      let connections = 0
      const server = createTls(yield* certified(path)).on("connection", () => connections++)
      const port = yield* listen(server, path)
      for (const host of ["127.0.0.1", "localhost"]) {
        const place = { _tag: "Webhook", url: `https://${host}:${port}/hook`, host } as const
        const settings = { place, secretFile: join(path, "secret"), caFile: join(path, "ca.pem") }
        const sink = yield* AuditSinks.make(settings, { allowedHosts: [host], allowLoopback: false })
        const refused = yield* Effect.flip(sink.deliver({ id: "one", events: [], head: "{}" }))
        assert.strictEqual(refused.problem, "the address is a loopback address, which is refused")
      }
      assert.strictEqual(connections, 0)
    })
  )
})

const SYSLOG = /^<110>1 \S+ \S+ quarterdeck \d+ (?:event|head) - (.*)$/

/** Reads messages that are framed by their length. */
const framesOf = (bytes: Buffer): ReadonlyArray<string> => {
  const frames: Array<string> = []
  for (let at = 0; at < bytes.length;) {
    const blank = bytes.indexOf(" ", at)
    const length = Number(bytes.toString("utf8", at, blank))
    frames.push(bytes.toString("utf8", blank + 1, blank + 1 + length))
    at = blank + 1 + length
  }
  return frames
}
