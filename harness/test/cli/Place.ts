/** The command as people run it, in a home of its own. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { Effect, Schema } from "effect"
import { compileCache, temporaryDirectory } from "../machine/Fixture.ts"
import { type Finished, runInProcess } from "./inProcess.ts"

const ENTRY = new URL("../../src/cli/harness.ts", import.meta.url).pathname
/** Each test runs several programs one after the other, each of which takes a second on an idle machine. */
export const LIMIT = { timeout: 300_000 }

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

/**
 * A home in which nobody else holds a fleet; what the test forgets there is ended with it.
 *
 * `harness` runs the command within this process, `program` and `foreground` in one of its own: what leaves a holder
 * behind, and what signals end, is about processes.
 */
export const place = Effect.gen(function* () {
  const home = yield* temporaryDirectory
  const env = { ...compileCache, HOME: home, PATH: "/usr/bin:/bin", TMPDIR: home, DOCKER_HOST: "tcp://127.0.0.1:1" }
  const begin = (args: string): ChildProcess =>
    spawn(process.execPath, ["--conditions=@quarterdeck/source", ENTRY, ...args.split(" ")], {
      env,
      stdio: ["ignore", "pipe", "pipe"]
    })
  const harness = (args: string) => runInProcess(args.split(" "), env)
  const program = (args: string): Effect.Effect<Finished> =>
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
  return { files, foreground, harness, home, program, status }
})

export const ended = (child: ChildProcess, signal: NodeJS.Signals): Effect.Effect<number | null> =>
  Effect.promise(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
    const exit = once(child, "exit")
    child.kill(signal)
    await exit
    return child.exitCode
  })
