/** Starts a background process that holds a fleet. */
import { spawn } from "node:child_process"
import { closeSync, mkdirSync, openSync, readSync, rmSync } from "node:fs"
import { rename } from "node:fs/promises"
import { Deferred, Effect, Option, Schedule } from "effect"
import { attempt, attemptSync } from "../machine/Machine.ts"
import * as Owner from "../machine/Owner.ts"
import { failed, fromError } from "./CommandFailure.ts"
import { exportLine } from "./ExportLine.ts"
import type { HoldOptions } from "./Hold.ts"
import * as HeldFleet from "./HeldFleet.ts"
import * as Invocation from "./Invocation.ts"
import * as Print from "./Print.ts"

const EVERY = "50 millis"
/** Timeout of the start. Long, because a container image may have to be pulled first. */
const TIMEOUT = "10 minutes"
const SHOWN_LINES = 20
/** Prefix of lines for the user. */
const NOTE = /^harness: /
const LOG_BYTES = 64 * 1024

/**
 * Starts this program again in the background to hold the fleet. Waits until the fleet is ready, or fails with the
 * reason.
 */
export const detach = Effect.fnUntraced(
  function* (options: HoldOptions) {
    const { name } = options
    const files = yield* HeldFleet.filesOf(name)
    // The log gets its final name only after the background process has claimed the fleet's name. Before that it must
    // not overwrite the log of another process that holds the name.
    const draft = `${files.log}.${Owner.print(yield* attempt("identify this process", Owner.self))}`
    const { ended, pid, printed, stop } = yield* started(draft, yield* HeldFleet.directory, argumentsOf(options))
    const until = (is: (fleet: HeldFleet.HeldFleet) => boolean) =>
      HeldFleet.find(name).pipe(
        Effect.map(Option.filter((fleet) => fleet.owner.pid === pid && is(fleet))),
        Effect.repeat({ schedule: Schedule.spaced(EVERY), until: Option.isSome })
      )
    const ready = until(() => true).pipe(
      Effect.andThen(attempt("rename the log", () => rename(draft, files.log))),
      Effect.andThen(until(({ record }) => record !== undefined)),
      Effect.as(undefined)
    )
    const outcome = yield* Effect.raceFirst(ready, Deferred.await(ended)).pipe(
      Effect.onInterrupt(() => stop),
      Effect.timeoutOrElse({
        duration: TIMEOUT,
        orElse: () => Effect.as(stop, "the fleet was not ready within 10 minutes")
      })
    )
    if (outcome !== undefined) {
      // The background process may have removed its files before the log was renamed.
      yield* HeldFleet.clear(name)
      const lastLines = (yield* printed).trim().split("\n").slice(-SHOWN_LINES)
      const lines = lastLines.map((line) => line.replace(NOTE, ""))
      // The reason is already in a line with the prefix.
      return yield* failed(
        ...(lastLines.some((line) => NOTE.test(line)) ? lines : [...lines, `the background process ended: ${outcome}`])
      )
    }
    const notes = (yield* printed).split("\n").filter((line) => NOTE.test(line))
    yield* Effect.forEach(notes, (line) => Print.note(line.replace(NOTE, "")))
    yield* Print.line(exportLine(files.kubeconfig))
    const command = yield* Invocation.command
    yield* Print.note(`process ${pid} holds ${name}; take it down with: ${command} down ${name}`)
  },
  Effect.scoped,
  Effect.catchTag("MachineRefused", (error) => Effect.fail(fromError(error)))
)

/**
 * Returns the arguments that make a command hold the fleet.
 *
 * They are built from the parsed options. The typed arguments may contain `--detach` in some spelling; if they were
 * copied, each process would start another one.
 */
export const argumentsOf = (options: HoldOptions): ReadonlyArray<string> => [
  "up",
  "--detach=false",
  `--driver=${options.driver}`,
  `--clusters=${[options.parent, ...options.children].join(",")}`,
  ...(options.seed === undefined ? [] : [`--seed=${options.seed}`]),
  `--faults=${options.faults}`,
  `--controllers=${options.controllers}`,
  `--kubelet=${options.kubelet}`,
  `--usage=${options.usage}`,
  `--name=${options.name}`,
  ...(options.kubeconfig === undefined ? [] : [`--kubeconfig=${options.kubeconfig}`])
]

const started = Effect.fnUntraced(function* (log: string, directory: string, args: ReadonlyArray<string>) {
  const ended = yield* Deferred.make<string>()
  // The log stays open here, because a background process that ends removes the file. The log contains the reason.
  const output = yield* Effect.acquireRelease(
    attemptSync("open the log of a process in the background", () => {
      mkdirSync(directory, { recursive: true, mode: 0o700 })
      return openSync(log, "w+", 0o600)
    }),
    (output) =>
      Effect.sync(() => {
        closeSync(output)
        rmSync(log, { force: true })
      })
  )
  const child = yield* attemptSync("start a process in the background", () => {
    const [entry = ""] = process.argv.slice(1)
    // A separate session, so that it outlives the terminal.
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
    printed: attemptSync("read the background process's log", () => readFromStart(output)),
    stop: Effect.sync(() => void child.kill("SIGTERM"))
  }
})

/** Reads from position 0: the background process writes through the same file description and moves its position. */
const readFromStart = (file: number): string => {
  const bytes = Buffer.alloc(LOG_BYTES)
  return bytes.toString("utf8", 0, readSync(file, bytes, 0, LOG_BYTES, 0))
}
