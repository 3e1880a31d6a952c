/** Fleets held by the command, as people use them: in the foreground, in the background, killed, and side by side. */
import { assert, describe, it } from "@effect/vitest"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { readdir, readFile, stat } from "node:fs/promises"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { Effect, Schema } from "effect"
import { eventually } from "../../src/Eventually.ts"
import { temporaryDirectory } from "../internal/Fixture.ts"

const ENTRY = new URL("../../src/bin/harness.ts", import.meta.url).pathname
/** Each test runs several programs one after the other, each of which takes a second on an idle machine. */
const LIMIT = { timeout: 300_000 }

const Status = Schema.fromJsonString(
  Schema.Array(
    Schema.Struct({
      name: Schema.String,
      state: Schema.String,
      pid: Schema.Int,
      kubeconfig: Schema.String,
      clusters: Schema.Array(Schema.Struct({ name: Schema.String, isReady: Schema.Boolean, server: Schema.String }))
    })
  )
)

/** A home in which nobody else holds a fleet; what the test forgets there is ended with it. */
const place = Effect.gen(function* () {
  const home = yield* temporaryDirectory
  const env = { HOME: home, PATH: "/usr/bin:/bin", TMPDIR: home, DOCKER_HOST: "tcp://127.0.0.1:1" }
  const begin = (args: string): ChildProcess =>
    spawn(process.execPath, ["--conditions=source", ENTRY, ...args.split(" ")], {
      env,
      stdio: ["ignore", "pipe", "pipe"]
    })
  const harness = (args: string) =>
    Effect.promise(async () => {
      const child = begin(args)
      const read = async (stream: ChildProcess["stdout"]) => (stream === null ? "" : await text(stream))
      const [out, err] = await Promise.all([read(child.stdout), read(child.stderr), once(child, "close")])
      return { code: child.exitCode, out, err }
    })
  const status = Effect.flatMap(harness("status --json"), ({ out }) => Schema.decodeUnknownEffect(Status)(out))
  const foreground = (args: string) =>
    Effect.acquireRelease(
      Effect.sync(() => begin(args)),
      (child) => ended(child, "SIGKILL")
    )
  const files = join(home, ".local", "state", "quarterdeck", "fleets")
  yield* Effect.addFinalizer(() =>
    Effect.flatMap(
      Effect.orElseSucceed(status, () => []),
      (fleets) => Effect.forEach(fleets, ({ name }) => harness(`down ${name}`), { discard: true })
    )
  )
  return { files, foreground, harness, status }
})

const ended = (child: ChildProcess, signal: NodeJS.Signals): Effect.Effect<number | null> =>
  Effect.promise(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
    const exit = once(child, "exit")
    child.kill(signal)
    await exit
    return child.exitCode
  })

describe("harness up", () => {
  it.effect(
    "holds a fleet in the background, says how it is, and takes it down",
    () =>
      Effect.gen(function* () {
        const { files, harness, status } = yield* place
        const up = yield* harness("up --detach --clusters hub,eu --seed small")
        assert.deepStrictEqual([up.code, up.out], [0, `export KUBECONFIG='${join(files, "default.kubeconfig")}'\n`])
        const [fleet] = yield* status
        assert.strictEqual(fleet?.state, "held")
        assert.deepStrictEqual(
          fleet?.clusters.map(({ isReady, name }) => [name, isReady]),
          [
            ["hub", true],
            ["eu", true]
          ]
        )
        const kubeconfig = yield* Effect.promise(() => readFile(fleet?.kubeconfig ?? "", "utf8"))
        for (const { server } of fleet?.clusters ?? []) assert.include(kubeconfig, server)
        for (const name of yield* Effect.promise(() => readdir(files))) {
          const { mode } = yield* Effect.promise(() => stat(join(files, name)))
          // The lock names a process and holds nothing else.
          if (!name.endsWith(".lock")) assert.strictEqual(mode & 0o777, 0o600, name)
        }
        assert.deepStrictEqual(yield* harness("down"), { code: 0, out: "default is down\n", err: "" })
        assert.deepStrictEqual(yield* Effect.promise(() => readdir(files)), [])
        assert.strictEqual((yield* harness("status")).out, "no fleet is held\n")
      }),
    LIMIT
  )

  it.effect(
    "in the foreground it prints plain lines without a terminal, and Ctrl-C takes all down",
    () =>
      Effect.gen(function* () {
        const { files, foreground, status } = yield* place
        const child = yield* foreground("up --clusters hub")
        const printed = child.stdout === null ? Promise.resolve("") : text(child.stdout)
        yield* eventually("the fleet is held", status, ([fleet]) => fleet?.state === "held", { within: "60 seconds" })
        yield* ended(child, "SIGINT")
        assert.match(
          yield* Effect.promise(() => printed),
          /^starting hub on embedded\nexport KUBECONFIG='.+'\nkubectl --context hub get all .+\n$/
        )
        assert.deepStrictEqual(yield* Effect.promise(() => readdir(files)), [])
      }),
    LIMIT
  )

  it.effect(
    "two fleets live side by side, a name is taken once, and down asks which",
    () =>
      Effect.gen(function* () {
        const { harness, status } = yield* place
        assert.strictEqual((yield* harness("up -d --name one --clusters a")).code, 0)
        assert.strictEqual((yield* harness("up -d --name two --clusters b")).code, 0)
        const again = yield* harness("up --name one")
        assert.strictEqual(again.code, 1)
        assert.match(again.err, /^harness: the fleet one is held already by process \d+; give another --name/)
        assert.deepStrictEqual(yield* harness("down"), {
          code: 2,
          out: "",
          err: "harness: several fleets are held: one, two\n"
        })
        assert.strictEqual((yield* harness("down one")).code, 0)
        const left = yield* status
        assert.deepStrictEqual(
          left.map(({ name, state }) => [name, state]),
          [["two", "held"]]
        )
      }),
    LIMIT
  )

  it.effect(
    "a holder that was killed is seen as dead, swept, and its name is free again",
    () =>
      Effect.gen(function* () {
        const { files, foreground, harness, status } = yield* place
        const child = yield* foreground("up --clusters hub")
        yield* eventually("the fleet is held", status, ([fleet]) => fleet?.state === "held", { within: "60 seconds" })
        yield* ended(child, "SIGKILL")
        assert.deepStrictEqual(
          (yield* status).map(({ state }) => state),
          ["left by a dead process"]
        )
        assert.strictEqual((yield* harness("sweep")).out, "removed held fleet default\n")
        assert.deepStrictEqual(yield* Effect.promise(() => readdir(files)), [])
        assert.strictEqual((yield* harness("sweep")).out, "nothing was left\n")
        assert.strictEqual((yield* harness("up -d --clusters hub")).code, 0)
      }),
    LIMIT
  )

  it.effect(
    "says in one line what is wrong with the command line, and what the driver lacks",
    () =>
      Effect.gen(function* () {
        const { harness } = yield* place
        const mistakes = [
          ["up --driver vmware", "harness: --driver must be"],
          ["up --clusters a,,b", "harness: --clusters must be"],
          ["up --name Ä", "harness: --name must be"],
          ["uq", "harness: uq is not a command of harness; did you mean up?"]
        ] as const
        for (const [args, line] of mistakes) {
          const { code, err } = yield* harness(args)
          assert.strictEqual(code, 2, args)
          assert.isTrue(err.startsWith(line), err)
        }
        const missing = yield* harness("up --driver control-plane")
        assert.strictEqual(missing.code, 1)
        assert.include(missing.err, "harness: cluster hub: the control-plane driver cannot run here: ")
        const detached = yield* harness("up -d --driver control-plane")
        assert.strictEqual(detached.code, 1)
        assert.include(detached.err, "the control-plane driver cannot run here: ")
      }),
    LIMIT
  )
})

describe("harness doctor", () => {
  it.effect(
    "gives each finding with a verdict and what is wrong with a remedy",
    () =>
      Effect.gen(function* () {
        const { harness } = yield* place
        const { code, out } = yield* harness("doctor --json")
        const Findings = Schema.fromJsonString(
          Schema.Array(
            Schema.Struct({
              name: Schema.String,
              verdict: Schema.Literals(["ok", "warn", "fail"]),
              detail: Schema.String,
              remedy: Schema.optionalKey(Schema.String)
            })
          )
        )
        const findings = yield* Schema.decodeUnknownEffect(Findings)(out)
        for (const { name, remedy, verdict } of findings)
          assert.strictEqual(remedy === undefined, verdict === "ok", name)
        const verdictOf = (name: string) => findings.find((finding) => finding.name === name)?.verdict
        assert.strictEqual(verdictOf("Node"), "ok")
        assert.strictEqual(verdictOf("programs"), "warn")
        assert.strictEqual(verdictOf("Docker"), "warn")
        assert.strictEqual(code, findings.some(({ verdict }) => verdict === "fail") ? 1 : 0)
        const lines = (yield* harness("doctor")).out
        assert.match(lines, /^ok +Node +v\d+/)
        assert.include(lines, "\n      -> ")
      }),
    LIMIT
  )
})
