/** Leaves a process in the background that holds a fleet. */
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
/** A container's image may have to come first. */
const PATIENCE = "10 minutes"
const SHOWN_LINES = 20
/** How a line begins that is for the user. */
const NOTE = /^harness: /
const LOG_BYTES = 64 * 1024

/** Starts this program again to hold the fleet, and waits until it does, or says why it does not. */
export const detach = Effect.fnUntraced(
  function* (options: HoldOptions) {
    const { name } = options
    const files = yield* HeldFleet.filesOf(name)
    // The log takes the name's place beside the other files only once the holder has the name: the log of another holder
    // stays as it is, and what a holder said that never had the name goes with this process.
    const draft = `${files.log}.${Owner.print(yield* attempt("look at this process", Owner.self))}`
    const { ended, pid, said, stop } = yield* started(draft, yield* HeldFleet.directory, argumentsOf(options))
    const until = (is: (fleet: HeldFleet.HeldFleet) => boolean) =>
      HeldFleet.find(name).pipe(
        Effect.map(Option.filter((fleet) => fleet.owner.pid === pid && is(fleet))),
        Effect.repeat({ schedule: Schedule.spaced(EVERY), until: Option.isSome })
      )
    const ready = until(() => true).pipe(
      Effect.andThen(attempt("give the log its name", () => rename(draft, files.log))),
      Effect.andThen(until(({ record }) => record !== undefined)),
      Effect.as(undefined)
    )
    const outcome = yield* Effect.raceFirst(ready, Deferred.await(ended)).pipe(
      Effect.onInterrupt(() => stop),
      Effect.timeoutOrElse({ duration: PATIENCE, orElse: () => Effect.as(stop, "it was not ready within 10 minutes") })
    )
    if (outcome !== undefined) {
      // It may have given back its files before the log had its name.
      yield* HeldFleet.clear(name)
      const told = (yield* said).trim().split("\n").slice(-SHOWN_LINES)
      const lines = told.map((line) => line.replace(NOTE, ""))
      // A holder that says itself why it ends leaves nothing to add.
      return yield* failed(
        ...(told.some((line) => NOTE.test(line)) ? lines : [...lines, `the holder ended: ${outcome}`])
      )
    }
    const notes = (yield* said).split("\n").filter((line) => NOTE.test(line))
    yield* Effect.forEach(notes, (line) => Print.note(line.replace(NOTE, "")))
    yield* Print.line(exportLine(files.kubeconfig))
    const command = yield* Invocation.command
    yield* Print.note(`process ${pid} holds ${name}; take it down by: ${command} down ${name}`)
  },
  Effect.scoped,
  Effect.catchTag("MachineRefused", (error) => Effect.fail(fromError(error)))
)

/**
 * Writes the options as arguments of a command that holds.
 *
 * They are made of what was parsed, never of what was typed: an argument that is copied may be one more spelling of
 * `--detach`, and each process would leave another.
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
  // Kept open: a holder that ends removes its files, and what it said is wanted just then.
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
