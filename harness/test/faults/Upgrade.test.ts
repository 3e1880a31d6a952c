import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { createServer } from "node:https"
import type { Duplex } from "node:stream"
import { issue } from "@quarterdeck/embedded-cluster/ServerCertificate"
import { eventually } from "../../src/machine/Eventually.ts"
import * as Fault from "../../src/faults/Fault.ts"
import { listen } from "../../src/faults/LoopbackSocket.ts"
import * as Faults from "../../src/faults/Faults.ts"
import { upgrade } from "./Upgraded.ts"

const SPDY = { upgrade: "SPDY/3.1", "x-stream-protocol-version": "v4.channel.k8s.io" }
const EXEC = "/api/v1/namespaces/default/pods/web/exec?command=cat"

/** A cluster that upgrades to an echo, which it starts with a greeting; `/refused` it refuses. */
const echoing = Effect.gen(function* () {
  const certificate = yield* issue("echo")
  const sockets = new Set<Duplex>()
  const server = createServer({ cert: certificate.certificatePem, key: Redacted.value(certificate.keyPem) })
  server.on("upgrade", (asked, socket: Duplex, head: Buffer) => {
    sockets.add(socket)
    socket.on("error", () => socket.destroy())
    socket.once("close", () => sockets.delete(socket))
    if (asked.url === "/refused") {
      socket.end("HTTP/1.1 403 Forbidden\r\ncontent-length: 2\r\nconnection: close\r\n\r\nno")
      return
    }
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: SPDY/3.1\r\n\r\n`)
    socket.write(`hello ${String(asked.headers["x-stream-protocol-version"])} `)
    socket.write(head)
    socket.pipe(socket)
  })
  const port = yield* listen(server, "listen as an echo", () => sockets.forEach((socket) => socket.destroy()))
  const faults = yield* Faults.make({
    name: "echo",
    server: `https://127.0.0.1:${port}`,
    caPem: certificate.certificatePem
  })
  return { faults, open: Effect.sync(() => sockets.size) }
})

describe("an upgraded connection", () => {
  it.live("passes bytes both ways, and ends at both ends", () =>
    Effect.gen(function* () {
      const { faults, open } = yield* echoing
      yield* Effect.scoped(
        Effect.gen(function* () {
          const session = yield* upgrade(faults, EXEC, SPDY)
          assert.strictEqual(session.status, 101)
          session.socket?.write("ping")
          yield* eventually(
            "the echo comes",
            Effect.sync(session.text),
            (text) => text === "hello v4.channel.k8s.io ping"
          )
          const large = "x".repeat(3_000_000)
          session.socket?.write(large)
          yield* eventually("all of it comes", Effect.sync(session.text), (text) => text.endsWith(large))
          assert.strictEqual((yield* faults.counters).requests.get("get pods/exec"), 1)
        })
      )
      yield* eventually("nothing is open", open, (count) => count === 0)
    }).pipe(Effect.scoped)
  )

  it.live("is refused by the cluster or by a fault", () =>
    Effect.gen(function* () {
      const { faults } = yield* echoing
      assert.strictEqual((yield* upgrade(faults, "/refused", SPDY)).status, 403)
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* faults.inject(Fault.unauthorized({ match: { resources: ["pods/exec"] } }))
          assert.strictEqual((yield* upgrade(faults, EXEC, SPDY)).status, 401)
        })
      )
      assert.strictEqual((yield* upgrade(faults, EXEC, SPDY)).status, 101)
    }).pipe(Effect.scoped)
  )

  it.live("meets the faults of the wire", () =>
    Effect.gen(function* () {
      const { faults } = yield* echoing
      const session = yield* upgrade(faults, EXEC, SPDY)
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* faults.inject(Fault.blackHole)
          session.socket?.write("late")
          assert.notInclude(session.text(), "late")
        })
      )
      yield* eventually("what waited comes", Effect.sync(session.text), (text) => text.endsWith("late"))
      yield* faults.inject(Fault.cut)
      yield* eventually("it is reset", Effect.sync(session.ended), (ended) => ended === "ECONNRESET")
    }).pipe(Effect.scoped)
  )
})
