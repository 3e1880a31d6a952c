/**
 * The command line: the server and the client commands.
 */
import { Effect, FileSystem, Schema } from "effect"
import { CliConfig, CliError, Command, GlobalFlag } from "effect/cli"
import { fileURLToPath } from "node:url"
import { CommandFailure } from "./print/CommandFailure.ts"
import * as Presenter from "./print/Presenter.ts"
import * as Print from "./print/Print.ts"

/** Loads each command by its name, in the order of the help. */
const commands = {
  serve: async () => (await import("./ServeCommand.ts")).serveCommand,
  status: async () => (await import("./look/StatusCommand.ts")).statusCommand,
  clusters: async () => {
    const { clustersCommand } = await import("./list/ClustersCommand.ts")
    const { clustersAddCommand, clustersDropCommand } = await import("./act/ClusterCommands.ts")
    return Command.withSubcommands(clustersCommand, [clustersAddCommand, clustersDropCommand])
  },
  namespaces: async () => (await import("./list/NamespacesCommand.ts")).namespacesCommand,
  workloads: async () => (await import("./list/WorkloadsCommand.ts")).workloadsCommand,
  get: async () => (await import("./look/GetCommand.ts")).getCommand,
  pods: async () => (await import("./list/PodsCommand.ts")).podsCommand,
  events: async () => (await import("./list/EventsCommand.ts")).eventsCommand,
  logs: async () => (await import("./look/LogsCommand.ts")).logsCommand,
  scale: async () => (await import("./act/ActionCommands.ts")).scaleCommand,
  restart: async () => (await import("./act/ActionCommands.ts")).restartCommand,
  pause: async () => (await import("./act/ActionCommands.ts")).pauseCommand,
  resume: async () => (await import("./act/ActionCommands.ts")).resumeCommand,
  cost: async () => (await import("./cost/CostCommand.ts")).costCommand,
  prices: async () => (await import("./cost/PricesCommand.ts")).pricesCommand,
  key: async () => (await import("./keys/KeyCommand.ts")).keyCommand,
  whoami: async () => (await import("./look/WhoamiCommand.ts")).whoamiCommand,
  "can-i": async () => (await import("./look/CanICommand.ts")).canICommand,
  doctor: async () => (await import("./DoctorCommand.ts")).doctorCommand,
  audit: async () => (await import("./audit/AuditCommand.ts")).auditCommand,
  mcp: async () => (await import("./mcp/McpCommand.ts")).mcpCommand
}

type Name = keyof typeof commands

const isName = (word: string | undefined): word is Name => word !== undefined && Object.hasOwn(commands, word)

/**
 * Returns the names of the commands to load: the one that the command line starts with, and none for `--version`. Any
 * other command line needs all commands: the help, completions, an unknown command.
 */
const needed = (args: ReadonlyArray<string>): ReadonlyArray<Name> => {
  const [first] = args
  if (args.length === 1 && first === "--version") return []
  if (isName(first) && !args.some((arg) => arg.startsWith("--completions"))) return [first]
  return Object.keys(commands).filter(isName)
}

const load = Effect.fnUntraced(function* (args: ReadonlyArray<string>) {
  const loaded = yield* Effect.promise(() => Promise.all(needed(args).map((name) => commands[name]())))
  return Command.make("quarterdeck").pipe(
    Command.withDescription("One address over many Kubernetes clusters."),
    Command.withSubcommands(loaded),
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
})

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
    yield* Command.runWith(yield* load(args), manifest)(args)
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
