/**
 * `quarterdeck whoami`: the current key and its rule.
 */
import { ApiKey } from "@quarterdeck/keys/ApiKey"
import { Effect, Schema } from "effect"
import { Command } from "effect/cli"
import * as ApiClient from "../request/ApiClient.ts"
import * as Columns from "../print/Columns.ts"
import * as Connection from "../request/Connection.ts"
import { listFlag } from "../print/OutputFlag.ts"
import * as Print from "../print/Print.ts"

export const whoamiCommand = Command.make(
  "whoami",
  { output: listFlag, url: Connection.urlFlag },
  Effect.fn("whoami")(function* ({ output, url }) {
    const connection = yield* Connection.read(url)
    const apiKey = yield* ApiClient.call(connection, ApiKey, { method: "GET", path: "/api/v1/whoami" })
    yield* Print.list(output, Columns.keys, [apiKey], yield* Effect.orDie(Schema.encodeEffect(ApiKey)(apiKey)))
  })
).pipe(
  Command.withDescription("Show the key in QUARTERDECK_API_KEY: its role, scope and expiry."),
  Command.withShortDescription("Show the current key and its scope"),
  Command.withExamples([
    { command: "quarterdeck whoami" },
    { command: "quarterdeck whoami -o yaml", description: "With the whole rule" }
  ])
)
