import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, Fiber, Redacted, Schema, type Scope } from "effect"
import { TestClock } from "effect/testing"
import type { Connection, ExecPlugin } from "../../../src/registry/Cluster.ts"
import { ExecLimits, run } from "../../../src/kube/credential/ExecPlugin.ts"
import { eventually } from "../../fixture/Waiting.ts"
import * as Plugin from "../../fixture/Plugin.ts"

const connection: Connection = {
  server: "https://c.test:6443",
  tlsServerName: "kubernetes",
  proxyUrl: "http://proxy.test:3128/",
  insecureSkipTlsVerify: false,
  credential: { _tag: "None" }
}
const runOnce = (plugin: ExecPlugin) => run(plugin, connection, "authority pem")
const problemOf = (plugin: ExecPlugin) =>
  runOnce(plugin).pipe(
    Effect.flip,
    Effect.map((error) => error.problem)
  )
const live = <A, E>(effect: Effect.Effect<A, E, Scope.Scope | NodeServices.NodeServices>) =>
  effect.pipe(Effect.scoped, Effect.provide(NodeServices.layer))

describe("what a plugin gives", () => {
  it.live("a token and its expiry", () =>
    live(
      Effect.gen(function* () {
        const { plugin } = yield* Plugin.write(`print({ token: "tok", expirationTimestamp: "2030-01-01T00:00:00Z" })`)
        const credential = yield* runOnce(plugin)
        assert.strictEqual(credential.token && Redacted.value(credential.token), "tok")
        assert.strictEqual(credential.expiresAt, Date.parse("2030-01-01T00:00:00Z"))
      })
    )
  )

  it.live("a certificate with its key", () =>
    live(
      Effect.gen(function* () {
        const { plugin } = yield* Plugin.write(`print({ clientCertificateData: "CERT", clientKeyData: "KEY" })`)
        const { certificate, token } = yield* runOnce(plugin)
        assert.isUndefined(token)
        assert.strictEqual(certificate && Redacted.value(certificate.key), "KEY")
      })
    )
  )
})

describe("the input of a plugin", () => {
  const Told = Schema.fromJsonString(
    Schema.Struct({
      info: Schema.Struct({ kind: Schema.String, apiVersion: Schema.String, spec: Schema.Unknown }),
      profile: Schema.optionalKey(Schema.String),
      path: Schema.Boolean,
      input: Schema.String
    })
  )
  const told = Effect.fnUntraced(function* (more: Partial<ExecPlugin>) {
    const { directory, plugin } = yield* Plugin.write(
      `fs.writeFileSync(directory + "/told", JSON.stringify({ info: JSON.parse(process.env.KUBERNETES_EXEC_INFO), profile: process.env.PROFILE, path: process.env.PATH !== undefined, input: fs.readFileSync(0, "utf8") }))
       print({ token: "tok" })`,
      more
    )
    yield* runOnce(plugin)
    const files = yield* FileSystem.FileSystem
    return yield* Schema.decodeUnknownEffect(Told)(yield* files.readFileString(`${directory}/told`))
  })

  it.live("its own variables on top of the service's, nothing on its input, and no cluster unless it asks", () =>
    live(
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* told({ env: Plugin.env({ PROFILE: "prod" }) }), {
          info: { kind: "ExecCredential", apiVersion: Plugin.VERSION, spec: { interactive: false } },
          profile: "prod",
          path: true,
          input: ""
        })
      })
    )
  )

  it.live("the cluster, when it asks", () =>
    live(
      Effect.gen(function* () {
        const { info } = yield* told({ provideClusterInfo: true, config: { audience: "a" } })
        assert.deepStrictEqual(info.spec, {
          interactive: false,
          cluster: {
            server: "https://c.test:6443",
            "tls-server-name": "kubernetes",
            "certificate-authority-data": Buffer.from("authority pem").toString("base64"),
            "proxy-url": "http://proxy.test:3128/",
            config: { audience: "a" }
          }
        })
      })
    )
  )
})

describe("a plugin that fails", () => {
  it.live("is reported with the first line of its error output, bounded and without secrets", () =>
    live(
      Effect.gen(function* () {
        const { plugin } = yield* Plugin.write(
          `process.stderr.write("\\nlogin failed for hunter2 with token=abc123 and eyJhbGciOiJSUzI1NiIsImtpZCI6IjEifQ.e30.x \\u001b[31m" + "word ".repeat(200) + "\\nsecond line"); process.exit(3)`,
          { env: Plugin.env({ PASSWORD: "hunter2" }) }
        )
        const problem = yield* problemOf(plugin)
        assert.include(problem, "ended with 3: login failed for *** with token=*** and ***")
        for (const secret of ["hunter2", "abc123", "eyJ", "second line", "\u001b"]) assert.notInclude(problem, secret)
        assert.isBelow(problem.length, 500)
      })
    )
  )

  it.live("is reported if it does not exist, with its install hint", () =>
    live(
      Effect.gen(function* () {
        const { plugin } = yield* Plugin.write("", { command: "no-such-plugin", installHint: "get it from the shop" })
        assert.strictEqual(yield* problemOf(plugin), 'exec plugin "no-such-plugin" was not found: get it from the shop')
      })
    )
  )

  it.live("is not run if it needs an interactive prompt", () =>
    live(
      Effect.gen(function* () {
        const { plugin, runs } = yield* Plugin.write(`print({ token: "tok" })`, { interactiveMode: "Always" })
        assert.include(yield* problemOf(plugin), "needs an interactive prompt")
        assert.strictEqual(yield* runs, 0)
      })
    )
  )

  // Time passes when its children run: on a busy machine a program of its own takes long to start.
  it.effect("is killed when it takes too long, with its children", () =>
    live(
      Effect.gen(function* () {
        const { directory, plugin } = yield* Plugin.write(
          `const child = require("node:child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"])
         fs.writeFileSync(directory + "/pids", process.pid + " " + child.pid)
         setInterval(() => {}, 1000)`
        )
        const files = yield* FileSystem.FileSystem
        const failing = yield* Effect.forkChild(
          problemOf(plugin).pipe(Effect.provideService(ExecLimits, { ...limits, runMs: 1_500 }))
        )
        const pids = yield* TestClock.withLive(
          eventually(
            files.readFileString(`${directory}/pids`).pipe(Effect.orElseSucceed(() => "")),
            (text) => text !== ""
          )
        )
        yield* TestClock.adjust("1500 millis")
        assert.include(yield* Fiber.join(failing), "did not end within 1500 ms")
        yield* TestClock.withLive(
          eventually(
            Effect.sync(() => pids.split(" ").filter((pid) => isAlive(Number(pid)))),
            (alive) => alive.length === 0
          )
        )
      })
    )
  )

  const printed: Record<string, readonly [string, string]> = {
    nothing: ["", "did not print an ExecCredential"],
    "no JSON": [`process.stdout.write("token s3cr3t")`, "did not print an ExecCredential"],
    "no status": [`print(undefined)`, "did not print an ExecCredential"],
    "another version": [`print({ token: "t" }, "client.authentication.k8s.io/v1beta1")`, "another version"],
    "an empty status": [`print({ token: "" })`, "neither a token nor a certificate"],
    "half a certificate": [`print({ clientCertificateData: "s3cr3t" })`, "a certificate without a key"],
    "a token that no header can carry": [`print({ token: "s3cr3t\\n" })`, "an HTTP header cannot contain"],
    "an expiry that is no instant": [`print({ token: "s3cr3t", expirationTimestamp: "soon" })`, "not RFC 3339"],
    "too much": [`print({ token: "x".repeat(2_000_000) })`, "more than 1048576 bytes"]
  }
  for (const [name, [body, expected]] of Object.entries(printed)) {
    it.live(`is reported if it prints ${name}`, () =>
      live(
        Effect.gen(function* () {
          const { plugin } = yield* Plugin.write(body)
          const problem = yield* problemOf(plugin)
          assert.include(problem, expected)
          assert.notInclude(problem, "s3cr3t")
        })
      )
    )
  }
})

const limits = ExecLimits.defaultValue()

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
