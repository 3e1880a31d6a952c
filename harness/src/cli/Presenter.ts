/** Prints help, version and usage errors, one line per error. */
import { Effect, Layer, type Stdio } from "effect"
import { type CliError, CliOutput, TerminalCapabilities } from "effect/cli"
import * as Print from "./Print.ts"

const EXIT_STATUS = `EXIT STATUS
  0    success
  1    failed, for the reason on standard error; doctor: something is missing
  2    invalid command line
  130  interrupted by Ctrl-C; up takes its fleet down first
`

/** Prefixes that `effect/Schema` puts before the expected value. They repeat what the message already says. */
const SCHEMA_WORDS = /^(?:Schema validation failed: |Expected )+/

/** A presenter that prints help and version to standard output, and errors to standard error without the whole help. */
export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const stdio = yield* Effect.context<Stdio.Stdio>()
    const { canColor } = yield* TerminalCapabilities.TerminalCapabilities
    const formatter = CliOutput.defaultFormatter({ colors: canColor })
    const present = (event: CliOutput.Presenter.Event) => {
      switch (event._tag) {
        case "Help":
          return Print.output(`${formatter.formatHelpDoc(event.helpDoc)}\n\n${EXIT_STATUS}`)
        case "Version":
          return Print.line(`${event.name} ${event.version}`)
        case "InvalidInvocation": {
          const command = event.commandPath.join(" ")
          const lines = [...event.errors.map((error) => explain(error, command)), `see ${command} --help`]
          return Effect.forEach(lines, Print.note, { discard: true })
        }
      }
    }
    return CliOutput.layerPresenter({ present: (event) => Effect.provideContext(present(event), stdio) })
  })
)

const explain = (error: CliError.NonShowHelpErrors, command: string): string => {
  switch (error._tag) {
    case "UnrecognizedOption":
      return `${error.option} is not a flag of ${command}${suggestion(error.suggestions)}`
    case "UnknownSubcommand":
      return `${error.subcommand} is not a command of ${error.parent?.join(" ") ?? command}${suggestion(error.suggestions)}`
    case "MissingOption":
      return `--${error.option} is missing`
    case "MissingArgument":
      return `${error.argument} is missing`
    case "UnexpectedArgument":
      return `${command} takes no further argument`
    case "InvalidValue": {
      const subject = error.kind === "flag" ? `--${error.option}` : error.option
      return error.value === ""
        ? `${subject} needs a value`
        : `${subject} must be ${error.expected.replace(SCHEMA_WORDS, "")}, not ${error.value}`
    }
    case "DuplicateOption":
    case "ValidationError":
    case "UserError":
      return error.message
  }
}

const suggestion = (suggestions: ReadonlyArray<string>): string =>
  suggestions.length === 0 ? "" : `; did you mean ${suggestions.join(" or ")}?`
