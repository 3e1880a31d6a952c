/**
 * Leaves a process in the background that holds a fleet.
 *
 * @since 0.1.0
 */
import { spawn } from "node:child_process"
import { closeSync, mkdirSync, openSync, readSync } from "node:fs"
import { Deferred, Effect, Option, Schedule, Stdio } from "effect"
import { attemptSync } from "../internal/Machine.ts"
import { failed, fromError } from "./CommandFailure.ts"
import { exportLine } from "./Hold.ts"
import * as HeldFleet from "./HeldFleet.ts"
import * as Print from "./Print.ts"

const EVERY = "50 millis"
/** A container's image may have to come first. */
const PATIENCE = "10 minutes"
const SHOWN_LINES = 20
const LOG_BYTES = 64 * 1024

/** Starts this program again without `--detach`, and waits until it holds the fleet, or says why it does not. */
export const detach = Effect.fnUntraced(
  function* (name: string) {
    const stdio = yield* Stdio.Stdio
    const args = (yield* stdio.args).filter((arg) => arg !== "--detach" && arg !== "-d")
    const files = yield* HeldFleet.filesOf(name)
    const found = yield* HeldFleet.find(name)
    if (Option.isSome(found) && found.value.state !== "dead") {
      return yield* failed(
        `the fleet ${name} is held already by process ${found.value.owner.pid}; give another --name, or take it down`
      )
    }
    const { ended, pid, said, stop } = yield* started(files.log, yield* HeldFleet.directory, args)
    const ready = HeldFleet.find(name).pipe(
      Effect.map(Option.filter(({ owner, record }) => owner.pid === pid && record !== undefined)),
      Effect.repeat({ schedule: Schedule.spaced(EVERY), until: Option.isSome }),
      Effect.as(undefined)
    )
    const outcome = yield* Effect.raceFirst(ready, Deferred.await(ended)).pipe(
      Effect.onInterrupt(() => stop),
      Effect.timeoutOrElse({ duration: PATIENCE, orElse: () => Effect.as(stop, "it was not ready within 10 minutes") })
    )
    if (outcome !== undefined) {
      const told = (yield* said).trim().split("\n").slice(-SHOWN_LINES)
      return yield* failed(...told.map((line) => line.replace(/^harness: /, "")), `the holder ended: ${outcome}`)
    }
    yield* Print.line(exportLine(files.kubeconfig))
    yield* Print.note(`process ${pid} holds ${name}; take it down by: harness down ${name}`)
  },
  Effect.scoped,
  Effect.catchTag("MachineRefused", (error) => Effect.fail(fromError(error)))
)

const started = Effect.fnUntraced(function* (log: string, directory: string, args: ReadonlyArray<string>) {
  const ended = yield* Deferred.make<string>()
  // Kept open: a holder that ends removes its files, and what it said is wanted just then.
  const output = yield* Effect.acquireRelease(
    attemptSync("open the log of a process in the background", () => {
      mkdirSync(directory, { recursive: true, mode: 0o700 })
      return openSync(log, "w+", 0o600)
    }),
    (output) => Effect.sync(() => closeSync(output))
  )
  const child = yield* attemptSync("start a process in the background", () => {
    const [entry = ""] = process.argv.slice(1)
    // A session of its own: it outlives the terminal.
    return spawn(process.execPath, [...process.execArgv, entry, ...args], {
      detached: true,
      stdio: ["ignore", output, output]
    })
  })
  child.once("error", (cause) => Deferred.doneUnsafe(ended, Effect.succeed(cause.message)))
  child.once("exit", (code, signal) =>
    Deferred.doneUnsafe(ended, Effect.succeed(signal === null ? `exit status ${code}` : `signal ${signal}`))
  )
  child.unref()
  return {
    ended,
    pid: child.pid,
    said: attemptSync("read what the holder said", () => readFromStart(output)),
    stop: Effect.sync(() => void child.kill("SIGTERM"))
  }
})

/** The holder writes through the same file, so where it stands is not the start. */
const readFromStart = (file: number): string => {
  const bytes = Buffer.alloc(LOG_BYTES)
  return bytes.toString("utf8", 0, readSync(file, bytes, 0, LOG_BYTES, 0))
}
