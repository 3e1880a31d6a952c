/** The command line of the harness: holds fleets for manual work, and manages the programs of clusters. */
import { readFile } from "node:fs/promises"
import { Effect, Logger, Schema, Stdio } from "effect"
import { CliConfig, CliError, Command, GlobalFlag } from "effect/cli"
import { assetsCommand } from "./AssetsCommand.ts"
import { CommandFailure } from "./CommandFailure.ts"
import { doctorCommand } from "./DoctorCommand.ts"
import { downCommand } from "./DownCommand.ts"
import { faultCommand } from "./FaultCommand.ts"
import { killCommand } from "./KillCommand.ts"
import * as Presenter from "./Presenter.ts"
import * as Print from "./Print.ts"
import { restartCommand } from "./RestartCommand.ts"
import { statusCommand } from "./StatusCommand.ts"
import { sweepCommand } from "./SweepCommand.ts"
import { upCommand } from "./UpCommand.ts"

const command = Command.make("harness").pipe(
  Command.withDescription("Runs several Kubernetes clusters for tests and for manual work."),
  Command.withSubcommands([
    upCommand,
    statusCommand,
    downCommand,
    faultCommand,
    killCommand,
    restartCommand,
    sweepCommand,
    doctorCommand,
    assetsCommand
  ])
)

/** Location of package.json. The relative path is the same in the sources and in the built package. */
const MANIFEST = new URL("../../package.json", import.meta.url)

const Manifest = Schema.fromJsonString(Schema.Struct({ version: Schema.String }))

/**
 * Runs a command line.
 *
 * **Errors** `CommandFailure`, already printed to standard error, with the exit code.
 */
const run = Effect.fn("HarnessCommand.run")(
  function* (args: ReadonlyArray<string>) {
    const manifest = yield* Effect.promise(() => readFile(MANIFEST, "utf8")).pipe(
      Effect.flatMap(Schema.decodeUnknownEffect(Manifest)),
      Effect.orDie
    )
    yield* Command.runWith(command, manifest)(args)
  },
  Effect.catchIf(CliError.isCliError, (error) => misuse(error)),
  Effect.tapError((failure) => Effect.forEach(failure.lines, Print.note, { discard: true })),
  Effect.provide([
    Presenter.layer,
    CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions] })
  ])
)

/**
 * Runs the arguments of this process. Logs go to standard error, so that standard output has only the command's output.
 */
export const main = Effect.gen(function* () {
  const { args } = yield* Stdio.Stdio
  yield* run(yield* args)
}).pipe(Effect.provideService(Logger.LogToStderr, true))

/**
 * Maps a usage error that the presenter has printed to exit code 2. Help for a command that needs a subcommand is not
 * an error.
 */
const misuse = (error: CliError.CliError): Effect.Effect<void, CommandFailure> => {
  if (error._tag === "ShowHelp" && error.errors.length === 0) return Effect.void
  return Effect.fail(new CommandFailure({ lines: error._tag === "ShowHelp" ? [] : [error.message], exitCode: 2 }))
}
