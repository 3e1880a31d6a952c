/**
 * `quarterdeck audit verify`: whether the audit in a data directory is as it was written.
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
      Flag.withDescription("text, or json for a program; the exit status says it too"),
      Flag.withDefault("text")
    )
  },
  Effect.fn("audit verify")(function* ({ data, output }) {
    const directory = yield* CostHistory.directoryOf(data)
    // Read by this command alone, which others would start later for.
    const keys = yield* Effect.promise(() => import("@quarterdeck/keys"))
    const found = yield* keys.AuditVerifier.verify(directory).pipe(
      Effect.mapError((error) =>
        failed(`${error.message}; name the server's data directory by --data, if it is another`)
      )
    )
    if (output === "json") yield* Print.output(Output.json(reportOf(found)))
    if (found._tag === "Broken") return yield* failed(`event ${found.number}: ${found.problem}`)
    const { first, head, last, rows, unproven } = found
    const range = rows === 0 ? "no event" : `${rows} events, ${first} to ${last}, each as it was written`
    yield* Print.note(`${range}; the signed head of ${new Date(head.atMs).toISOString()} proves up to ${head.number}`)
    yield* Print.note(
      unproven === 0
        ? "what was written and cut off within a second after that is not proven"
        : `${unproven} later events are whole, but not proven: had more followed and been cut off, nothing would tell`
    )
  })
).pipe(
  Command.withDescription(
    "Read the whole audit in a data directory and name the first event that was changed, removed, swapped or rewritten, by the chain of hashes and the signed head that is kept beside the database. The server may run or be stopped. Exit status 0 when every event is as it was written, 1 when one is not."
  ),
  Command.withShortDescription("Look for events that were changed or removed (local)"),
  Command.withExamples([
    { command: "quarterdeck audit verify --data /var/lib/quarterdeck" },
    { command: "quarterdeck audit verify -o json", description: "For a program; the exit status says it too" }
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
