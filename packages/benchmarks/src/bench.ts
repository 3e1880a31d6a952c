/**
 * The command `pnpm bench [NAME...] [--quick] [--only TEXT]`: measures speed and memory beside other programs (peers)
 * that do the same work, and reports which goals are met.
 *
 * A full run of a suite writes its table into docs/performance.md. The exit status is 0 only if every goal is met and no
 * part failed.
 */
import { cpus, loadavg, totalmem, type } from "node:os"
import { Console, DateTime, Effect, Schema } from "effect"
import * as MainProgram from "./MainProgram.ts"
import { Argument, Command, Flag } from "effect/cli"
import * as Outcome from "./claim/Outcome.ts"
import * as Report from "./claim/Report.ts"
import type { Suite } from "./claim/Suite.ts"
import { suites } from "./Suites.ts"

const PAGE = new URL("../../../docs/performance.md", import.meta.url).pathname

const GIB = 1024 ** 3

/** Describes the machine and the versions in one line. */
const describeMachine: Effect.Effect<string> = Effect.sync(() => {
  const processors = cpus()
  const model = processors[0]?.model.trim() ?? "unknown processor"
  return `${processors.length} × ${model}, ${Math.round(totalmem() / GIB)} GiB, ${type()}, Node ${process.version}`
})

/** Describes the load average of the last minute. */
const describeLoad: Effect.Effect<string> = Effect.sync(() => {
  const [minute = 0] = loadavg()
  return `${minute.toFixed(1)} runnable on ${cpus().length} processors in the minute before`
})

class GoalsMissed extends Schema.TaggedError<GoalsMissed>()("GoalsMissed", { lines: Schema.Array(Schema.String) }) {
  override get message(): string {
    return this.lines.join("\n")
  }
}

/** The parts of a suite to measure. **Shape** `only` selects the parts whose names contain this text. */
interface Choice {
  readonly quick: boolean
  readonly only: string
}

const run = Effect.fnUntraced(function* (suite: Suite, { only, quick }: Choice) {
  const load = yield* describeLoad
  const on = yield* DateTime.now
  const outcome = yield* Outcome.of(suite, { quick }, only)
  const sizes = quick ? "quick run with smaller sizes" : "full run"
  const head = `${DateTime.formatIsoDateUtc(on)}, ${sizes}; ${yield* describeMachine}; ${load}.`
  const command = `\`npx pnpm@12 bench ${suite.name}${quick ? " --quick" : ""}\``
  const text = `${command}, ${head}\n\n${Report.text(outcome)}`
  yield* Console.log(`\n${text}\n`)
  if (!quick && only === "") yield* Report.write(PAGE, suite.name, text)
  return { line: Report.verdict(suite.name, outcome), isGood: Outcome.isGood(outcome) }
})

const bench = Command.make(
  "bench",
  {
    names: Argument.Literals(
      "name",
      suites.map(({ name }) => name)
    ).pipe(Argument.variadic()),
    quick: Flag.Boolean("quick").pipe(
      Flag.withDefault(false),
      Flag.withDescription("Use smaller sizes and fewer runs, and write no results to docs/performance.md")
    ),
    only: Flag.String("only").pipe(
      Flag.withDefault(""),
      Flag.withDescription(
        "Measure only parts whose names contain this text, and write no results to docs/performance.md"
      )
    )
  },
  Effect.fn(function* ({ names, only, quick }) {
    const chosen = names.length === 0 ? suites : suites.filter(({ name }) => names.includes(name))
    const outcomes = yield* Effect.forEach(chosen, (suite) => run(suite, { only, quick }))
    yield* Effect.forEach(outcomes, ({ line }) => Console.log(line), { discard: true })
    if (!outcomes.every(({ isGood }) => isGood)) return yield* new GoalsMissed({ lines: ["some goals are missed"] })
  })
).pipe(
  Command.withDescription(
    "Check claims about speed and memory by measuring this project beside other programs that do the same work."
  )
)

MainProgram.run(Command.run(bench, { version: "0.0.0" }))
