/**
 * The command line: the server and the client commands.
 */
import { Effect, FileSystem, Schema } from "effect"
import { CliConfig, CliError, Command, GlobalFlag } from "effect/cli"
import { fileURLToPath } from "node:url"
import { pauseCommand, restartCommand, resumeCommand, scaleCommand } from "./act/ActionCommands.ts"
import { clustersAddCommand, clustersDropCommand } from "./act/ClusterCommands.ts"
import { auditCommand } from "./audit/AuditCommand.ts"
import { canICommand } from "./look/CanICommand.ts"
import { clustersCommand } from "./list/ClustersCommand.ts"
import { doctorCommand } from "./DoctorCommand.ts"
import { costCommand } from "./cost/CostCommand.ts"
import { CommandFailure } from "./print/CommandFailure.ts"
import { keyCommand } from "./keys/KeyCommand.ts"
import { getCommand } from "./look/GetCommand.ts"
import { logsCommand } from "./look/LogsCommand.ts"
import { mcpCommand } from "./mcp/McpCommand.ts"
import { pricesCommand } from "./cost/PricesCommand.ts"
import * as Presenter from "./print/Presenter.ts"
import * as Print from "./print/Print.ts"
import { namespacesCommand } from "./list/NamespacesCommand.ts"
import { eventsCommand } from "./list/EventsCommand.ts"
import { podsCommand } from "./list/PodsCommand.ts"
import { serveCommand } from "./ServeCommand.ts"
import { whoamiCommand } from "./look/WhoamiCommand.ts"
import { workloadsCommand } from "./list/WorkloadsCommand.ts"

const command = Command.make("quarterdeck").pipe(
  Command.withDescription("One address over many Kubernetes clusters."),
  Command.withSubcommands([
    serveCommand,
    Command.withSubcommands(clustersCommand, [clustersAddCommand, clustersDropCommand]),
    namespacesCommand,
    workloadsCommand,
    getCommand,
    podsCommand,
    eventsCommand,
    logsCommand,
    scaleCommand,
    restartCommand,
    pauseCommand,
    resumeCommand,
    costCommand,
    pricesCommand,
    keyCommand,
    whoamiCommand,
    canICommand,
    doctorCommand,
    auditCommand,
    mcpCommand
  ]),
  Command.withExamples([
    {
      command: "quarterdeck serve --bootstrap-key-file first.key",
      description: "Start a server and write its first key"
    },
    {
      command:
        "QUARTERDECK_URL=http://127.0.0.1:8080 QUARTERDECK_API_KEY=$(cat first.key) quarterdeck workloads --cluster '*'",
      description: "Ask it for the workloads of all clusters"
    }
  ])
)

/** The path is the same in the sources and in the published package. */
const MANIFEST = new URL("../../package.json", import.meta.url)

const Manifest = Schema.fromJsonString(Schema.Struct({ version: Schema.String }))

/**
 * Runs a command line.
 *
 * **Errors** `CommandFailure` with the exit code. Its lines are already printed to standard error.
 */
export const run = Effect.fn("Cli.run")(
  function* (args: ReadonlyArray<string>) {
    const files = yield* FileSystem.FileSystem
    const manifest = yield* files
      .readFileString(fileURLToPath(MANIFEST))
      .pipe(Effect.flatMap(Schema.decodeUnknownEffect(Manifest)), Effect.orDie)
    yield* Command.runWith(command, manifest)(args)
  },
  Effect.catchIf(CliError.isCliError, (error) => misuse(error)),
  Effect.tapError((failure) => Effect.forEach(failure.lines, Print.note, { discard: true })),
  Effect.provide([
    Presenter.layer,
    CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions] })
  ])
)

/** Maps an error that the presenter has printed to its exit status. The help of a command without a subcommand is no error. */
const misuse = (error: CliError.CliError): Effect.Effect<void, CommandFailure> => {
  if (error._tag === "ShowHelp" && error.errors.length === 0) return Effect.void
  return Effect.fail(new CommandFailure({ lines: error._tag === "ShowHelp" ? [] : [error.message], exitCode: 2 }))
}
