/**
 * `quarterdeck prices`: reads and replaces the price book.
 */
import { PriceEffect } from "@quarterdeck/cost/CostRow"
import * as SchemaFault from "@quarterdeck/targeting/SchemaFault"
import { Effect, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as StrictYaml from "../../settings/StrictYaml.ts"
import * as ApiClient from "../request/ApiClient.ts"
import { failed } from "../print/CommandFailure.ts"
import * as Connection from "../request/Connection.ts"
import * as Input from "../request/Input.ts"
import * as Output from "../print/Output.ts"
import { outputFlag } from "../print/OutputFlag.ts"
import * as PricePreviewTable from "./PricePreviewTable.ts"
import * as Print from "../print/Print.ts"

const PATH = "/api/v1/prices"
/** The server's limit for the body. **Units** bytes. */
const MAX_BYTES = 1024 * 1024

/** A price book as the server sends it. Fields that only a newer server knows are kept. */
const Book = Schema.Record(Schema.String, Schema.Json)
const Versioned = Schema.Struct({ version: Schema.Natural })

const get = Command.make(
  "get",
  {
    output: Flag.Literals("output", ["yaml", "json"]).pipe(
      Flag.withAlias("o"),
      Flag.withDescription("Output format: yaml or json"),
      Flag.withDefault("yaml")
    ),
    url: Connection.urlFlag
  },
  Effect.fn("prices get")(function* ({ output, url }) {
    const connection = yield* Connection.read(url)
    const book = yield* ApiClient.call(connection, Book, { method: "GET", path: PATH })
    yield* Print.output(Output.document(output, book))
  })
).pipe(
  Command.withDescription("Print the price book. Overrides of clusters outside the key's scope are left out."),
  Command.withShortDescription("Print the price book"),
  Command.withExamples([
    { command: "quarterdeck prices get > prices.yaml" },
    { command: "quarterdeck prices get -o json | jq .overrides" }
  ])
)

const set = Command.make(
  "set",
  {
    file: Argument.String("file").pipe(
      Argument.withDescription(
        "File with the whole book in YAML or JSON, as prices get prints it; - for standard input"
      )
    ),
    isDryRun: Flag.Boolean("dry-run").pipe(
      Flag.withDescription("Change nothing; print the costs of the last 7 days by the present book and by this one"),
      Flag.withDefault(false)
    ),
    output: outputFlag.pipe(Flag.withDescription("Output format of --dry-run: table, json, yaml or csv")),
    url: Connection.urlFlag
  },
  Effect.fn("prices set")(function* ({ file, isDryRun, output, url }) {
    const connection = yield* Connection.read(url)
    const body = yield* readBook(file)
    if (isDryRun) {
      const query = [["dryRun", "true"] as const]
      const effect = yield* ApiClient.call(connection, PriceEffect, { method: "PUT", path: PATH, query, body })
      yield* Print.rows(output, PricePreviewTable.columns, PricePreviewTable.lines(effect), effect)
      return yield* Print.note("nothing was changed")
    }
    const { version } = yield* ApiClient.call(connection, Versioned, { method: "PUT", path: PATH, body })
    yield* Print.note(`the price book now has version ${version}`)
  })
).pipe(
  Command.withDescription(
    "Replace the price book, or print the effect with --dry-run. The file contains the version that was read; if the book has changed since, the command fails. Closed hours keep their prices, except for overrides with a validFrom in the past."
  ),
  Command.withShortDescription("Replace the price book with a file"),
  Command.withExamples([
    { command: "quarterdeck prices get > prices.yaml; $EDITOR prices.yaml; quarterdeck prices set prices.yaml" },
    {
      command: "quarterdeck prices set --dry-run prices.yaml",
      description: "Costs of the last 7 days by the new book"
    },
    {
      command: "quarterdeck prices get -o json | jq '.default.other.cpuPerCoreHour = 0.02' | quarterdeck prices set -",
      description: "JSON is valid YAML"
    }
  ])
)

const decodeBook = Schema.decodeUnknownEffect(Book)

/** Reads a book. **Errors** `CommandFailure` with the place of each syntax error. The server checks the fields. */
const readBook = Effect.fnUntraced(function* (path: string) {
  const source = Input.nameOf(path)
  const text = yield* Input.read(path, MAX_BYTES)
  const node = yield* Effect.fromResult(StrictYaml.parse(text)).pipe(
    Effect.mapError((faults) =>
      failed(...faults.map(({ message, place }) => `${source}:${place.line}:${place.column}: ${message}`))
    )
  )
  return yield* decodeBook(StrictYaml.toValue(node)).pipe(
    Effect.mapError(({ issue }) => failed(`${source}: ${SchemaFault.print(SchemaFault.fromIssue(issue))}`))
  )
})

export const pricesCommand = Command.make("prices").pipe(
  Command.withDescription("Read and replace the price book."),
  Command.withShortDescription("Read and replace the price book"),
  Command.withSubcommands([get, set]),
  Command.withExamples([{ command: "quarterdeck prices get" }, { command: "quarterdeck prices set prices.yaml" }])
)
