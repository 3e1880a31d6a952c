/** The command `harness doctor`: checks what this machine has and lacks for each driver. */
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { failed } from "./CommandFailure.ts"
import type { Finding } from "./Finding.ts"
import * as MachineFindings from "./MachineFindings.ts"
import * as Print from "./Print.ts"
import * as ProgramFindings from "./ProgramFindings.ts"

export const doctorCommand = Command.make(
  "doctor",
  { json: Flag.Boolean("json").pipe(Flag.withDefault(false), Flag.withDescription("Print JSON")) },
  Effect.fn("doctor")(function* ({ json }) {
    const groups = yield* Effect.all(
      [
        Effect.succeed([MachineFindings.node, MachineFindings.system]),
        Effect.map(MachineFindings.memory, (finding) => [finding]),
        MachineFindings.disks,
        Effect.map(MachineFindings.ports, (finding) => [finding]),
        Effect.map(ProgramFindings.go, (finding) => [finding]),
        ProgramFindings.programs,
        ProgramFindings.docker,
        ProgramFindings.capabilities,
        MachineFindings.inotify
      ],
      { concurrency: "unbounded" }
    )
    const findings: ReadonlyArray<Finding> = groups.flat()
    yield* json
      ? Print.line(JSON.stringify(findings, null, 2))
      : Effect.forEach(linesOf(findings), Print.line, { discard: true })
    const wrong = findings.filter(({ verdict }) => verdict === "fail").map(({ name }) => name)
    if (wrong.length > 0) return yield* failed(`clusters cannot run here: ${wrong.join(", ")}`)
  })
).pipe(
  Command.withDescription(
    "Check what clusters need: Node, memory, disk, ports, Go, the programs of each release, Docker, the k3s image, and "
      + "kernel limits. `warn` marks what only some drivers need, with a remedy. Exits with 1 only if a check says `fail`."
  ),
  Command.withShortDescription("Check what this machine lacks")
)

/** Formats each finding as a line, such as `ok    Node  v24.21.0`, followed by a line with its remedy. */
const linesOf = (findings: ReadonlyArray<Finding>): ReadonlyArray<string> => {
  const lines = Print.table(findings.map(({ detail, name, verdict }) => [verdict, name, detail]))
  return findings.flatMap(({ remedy }, index) => [
    lines[index] ?? "",
    ...(remedy === undefined ? [] : [`      -> ${remedy}`])
  ])
}
