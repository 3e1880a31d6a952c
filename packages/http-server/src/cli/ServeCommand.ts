/**
 * `quarterdeck serve`: runs the server until it is stopped.
 */
import { Effect, Option, Record } from "effect"
import { Command, Flag } from "effect/cli"
import { setFlagsFromString } from "node:v8"
import * as Settings from "../settings/Settings.ts"
import { type Row, rows } from "../settings/Table.ts"
import { variableOf } from "../settings/Variables.ts"
import { CommandFailure, fromError } from "./print/CommandFailure.ts"

const flagOf = (row: Row<unknown>) => {
  const unit = row.unit === undefined ? "" : ` ${row.unit}`
  const standing = row.initialText === undefined ? "" : `; default ${row.initialText}${unit}`
  return Flag.String(row.flag).pipe(
    Flag.withMetavar(row.kind.word),
    Flag.withDescription(`${row.description} [${row.path}, ${variableOf(row)}${standing}]`),
    Flag.optional
  )
}

export const serveCommand = Command.make(
  "serve",
  {
    config: Flag.String("config").pipe(
      Flag.withMetavar("FILE"),
      Flag.withDescription("YAML file of settings, read after flags and environment"),
      Flag.optional
    ),
    flags: Object.fromEntries(rows.map((row) => [row.flag, flagOf(row)]))
  },
  Effect.fn("serve")(function* ({ config, flags }) {
    const given = Record.getSomes(flags)
    const { settings } = yield* Settings.load({ flags: given, config: Option.getOrUndefined(config) }).pipe(
      Effect.mapError(({ lines }) => new CommandFailure({ lines: [...lines], exitCode: 2 }))
    )
    // Allocation-site pretenuring would move the short-lived objects of fan-out requests to the old generation (ADR 0031).
    setFlagsFromString("--no-allocation-site-pretenuring")
    // Loaded only here, so that client commands start without the server's modules.
    const { launch } = yield* Effect.promise(() => import("../Launch.ts"))
    return yield* launch(settings).pipe(Effect.mapError(fromError))
  })
).pipe(
  Command.withDescription(
    "Run the server. Each setting is read from its flag, else its environment variable, else the YAML file, else the default."
  ),
  Command.withShortDescription("Run the server"),
  Command.withExamples([
    { command: "quarterdeck serve", description: "The clusters of ~/.kube/config, on 127.0.0.1:8080" },
    { command: "quarterdeck serve --kubeconfig prod.yaml:stage.yaml --parent prod --bootstrap-key-file first.key" },
    { command: "quarterdeck serve --config /etc/quarterdeck.yaml" }
  ])
)
