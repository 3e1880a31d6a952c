/** `harness doctor`: what this machine has and lacks for each driver. */
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
    "Look at what clusters need: Node, memory, disk, ports, Go, the programs of each release, Docker, its image, and the "
      + "kernel's limits. `warn` is what some driver misses, with a remedy. Ends with 1 only if something says `fail`."
  ),
  Command.withShortDescription("Say what this machine lacks")
)

/** Prints a line for each finding, such as `ok    Node  v24.21.0`, and one for its remedy. */
const linesOf = (findings: ReadonlyArray<Finding>): ReadonlyArray<string> => {
  const lines = Print.table(findings.map(({ detail, name, verdict }) => [verdict, name, detail]))
  return findings.flatMap(({ remedy }, index) => [
    lines[index] ?? "",
    ...(remedy === undefined ? [] : [`      -> ${remedy}`])
  ])
}
