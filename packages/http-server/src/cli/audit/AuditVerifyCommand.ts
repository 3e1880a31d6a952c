/**
 * `quarterdeck audit verify`: checks that the audit in a data directory was not tampered with.
 */
import type { AuditVerifier } from "@quarterdeck/keys"
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { failed } from "../print/CommandFailure.ts"
import * as CostHistory from "../cost/CostHistory.ts"
import * as Output from "../print/Output.ts"
import * as Print from "../print/Print.ts"

export const auditVerifyCommand = Command.make(
  "verify",
  {
    data: CostHistory.dataFlag,
    output: Flag.Literals("output", ["text", "json"]).pipe(
      Flag.withAlias("o"),
      Flag.withDescription("text, or json for a program; the exit status also shows the result"),
      Flag.withDefault("text")
    )
  },
  Effect.fn("audit verify")(function* ({ data, output }) {
    const directory = yield* CostHistory.directoryOf(data)
    // Loaded only here, so that other commands start faster.
    const keys = yield* Effect.promise(() => import("@quarterdeck/keys"))
    const found = yield* keys.AuditVerifier.verify(directory).pipe(
      Effect.mapError((error) =>
        failed(`${error.message}; name the server's data directory with --data if it is another one`)
      )
    )
    if (output === "json") yield* Print.output(Output.json(reportOf(found)))
    if (found._tag === "Broken") return yield* failed(`event ${found.number}: ${found.problem}`)
    const { first, head, last, rows, unproven } = found
    const range = rows === 0 ? "no event" : `${rows} events, ${first} to ${last}, none was changed`
    yield* Print.note(
      `${range}; the signed head of ${new Date(head.atMs).toISOString()} proves the events up to ${head.number}`
    )
    yield* Print.note(
      unproven === 0
        ? "events removed from the end within a second after that would not be detected"
        : `${unproven} later events are intact, but not proven: events removed after them would not be detected`
    )
  })
).pipe(
  Command.withDescription(
    "Read the whole audit in a data directory and report the first event that was changed, removed, swapped or rewritten. Uses the chain of hashes and the signed head beside the database. The server may be running. Exit status 0 if every event is intact, 1 if not."
  ),
  Command.withShortDescription("Check the audit for changed or removed events (local)"),
  Command.withExamples([
    { command: "quarterdeck audit verify --data /var/lib/quarterdeck" },
    { command: "quarterdeck audit verify -o json", description: "JSON for a program; the exit status shows success" }
  ])
)

const reportOf = (found: AuditVerifier.Verification) => {
  if (found._tag === "Broken") return { whole: false, event: found.number, problem: found.problem }
  const { first, head, last, rows, unproven } = found
  return {
    whole: true,
    rows,
    first,
    last,
    unproven,
    head: { number: head.number, at: new Date(head.atMs).toISOString() }
  }
}
