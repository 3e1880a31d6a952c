/** A program of a cluster: a child process in its own process group, with its log in a file. */
import { spawn } from "node:child_process"
import { closeSync, openSync } from "node:fs"
import { open } from "node:fs/promises"
import { join } from "node:path"
import { Context, Deferred, type Duration, Effect, type Scope } from "effect"
import { MachineRefused, ProgramExited } from "./HarnessError.ts"
import { attempt, attemptSync, inRealTime } from "./Machine.ts"
import { signalGroup } from "./Processes.ts"
import type { Watchdog } from "./Watchdog.ts"
import { variableOf, type Workspace } from "./Workspace.ts"

/** Time that a program has to end after SIGTERM, before it is killed. */
export const TerminationGrace = Context.Reference<Duration.Input>(
  "@quarterdeck/harness/internal/Program/TerminationGrace",
  {
    defaultValue: () => "20 seconds"
  }
)
const LAST_LINES = 20
const TAIL_BYTES = 64 * 1024

export interface ProgramOptions {
  readonly name: string
  readonly command: string
  readonly args: ReadonlyArray<string>
  /** Environment variables that the program gets in addition to those of this process, which take precedence. */
  readonly variables?: Readonly<Record<string, string>>
}

export interface Program {
  readonly name: string
  readonly pid: number
  /** Waits for the end and returns its cause: `exit status 1`, `signal SIGKILL`. */
  readonly ended: Effect.Effect<string>
  /** Waits for the end, then fails with the last lines of the log. */
  readonly failsWhenEnded: Effect.Effect<never, ProgramExited>
  /** Kills the whole process group and waits for its end. */
  readonly kill: Effect.Effect<void>
  /** Sends SIGTERM to the process group. */
  readonly terminate: Effect.Effect<void>
  readonly tail: Effect.Effect<string>
}

/**
 * Starts a program. Closing the scope sends SIGTERM to its process group, kills it after {@link TerminationGrace}, and
 * waits for its end.
 *
 * **Limits** the log is a file in the workspace, so a busy event loop here never blocks the program.
 */
export const start = (
  options: ProgramOptions,
  place: { readonly workspace: Workspace; readonly watchdog: Watchdog }
): Effect.Effect<Program, MachineRefused | ProgramExited, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.gen(function* () {
      const log = logFile(place.workspace, options.name)
      const ended = yield* Deferred.make<string>()
      const pid = yield* spawned(options, place.workspace.path, log, ended)
      const signal = (name: NodeJS.Signals) =>
        Effect.sync(() => {
          // Another process may already have the number of a program that has ended.
          if (!Deferred.isDoneUnsafe(ended)) signalGroup(pid, name)
        })
      const kill = Effect.andThen(signal("SIGKILL"), Effect.asVoid(Deferred.await(ended)))
      yield* place.watchdog.watch(pid)
      yield* place.workspace.note(pid).pipe(Effect.tapError(() => kill))
      const tail = tailOf(log)
      return {
        name: options.name,
        pid,
        ended: Deferred.await(ended),
        failsWhenEnded: Effect.gen(function* () {
          const outcome = yield* Deferred.await(ended)
          return yield* new ProgramExited({ program: options.name, outcome, lastLines: lastLines(yield* tail) })
        }),
        kill,
        tail,
        terminate: signal("SIGTERM")
      }
    }),
    (program) =>
      Effect.gen(function* () {
        yield* program.terminate
        yield* program.ended.pipe(
          Effect.timeoutOrElse({ duration: yield* TerminationGrace, orElse: () => program.kill })
        )
        yield* place.watchdog.release(program.pid)
      }).pipe(inRealTime)
  )

/** Returns the end of a program's log in this workspace, up to 64 KiB. Empty if the program never ran. */
export const tailIn = (workspace: Workspace, name: string): Effect.Effect<string> => tailOf(logFile(workspace, name))

/** Returns the last 20 lines of a text that are not blank. */
export const lastLines = (text: string): ReadonlyArray<string> =>
  text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .slice(-LAST_LINES)

const logFile = (workspace: Workspace, name: string): string => join(workspace.path, `${name}.log`)

const spawned = Effect.fnUntraced(function* (
  options: ProgramOptions,
  cwd: string,
  log: string,
  ended: Deferred.Deferred<string>
): Effect.fn.Return<number, MachineRefused | ProgramExited> {
  const output = yield* attemptSync("open a log", () => openSync(log, "a", 0o600))
  return yield* Effect.callback<number, ProgramExited>((resume) => {
    const fail = (outcome: string) =>
      resume(Effect.fail(new ProgramExited({ program: options.name, outcome, lastLines: [] })))
    // oxlint-disable-next-line node/no-process-env -- the program inherits this environment; the user's variables override the defaults in `variables`.
    const env = { ...options.variables, ...process.env, ...variableOf(cwd) }
    const child = spawn(options.command, options.args, { cwd, env, detached: true, stdio: ["ignore", output, output] })
    child.once("spawn", () => (child.pid === undefined ? fail("no process number") : resume(Effect.succeed(child.pid))))
    child.once("error", (cause) => fail(cause.message))
    child.once("exit", (code, signal) => {
      Deferred.doneUnsafe(ended, Effect.succeed(signal === null ? `exit status ${code}` : `signal ${signal}`))
    })
  }).pipe(Effect.ensuring(Effect.sync(() => closeSync(output))))
})

const tailOf = (log: string): Effect.Effect<string> =>
  attempt("read a log", async () => {
    await using file = await open(log, "r")
    const { size } = await file.stat()
    const from = Math.max(0, size - TAIL_BYTES)
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(size - from), position: from })
    return buffer.toString("utf8", 0, bytesRead)
  }).pipe(Effect.orElseSucceed(() => ""))
