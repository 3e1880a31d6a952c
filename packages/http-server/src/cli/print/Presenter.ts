/**
 * Prints help, the version and errors of the command line.
 */
import { Effect, Layer, type Stdio } from "effect"
import { type CliError, CliOutput, TerminalCapabilities } from "effect/cli"
import * as Print from "./Print.ts"

const EXIT_STATUS = `EXIT STATUS
  0    done; clusters that did not answer are listed on standard error
  1    failed, for the reason on standard error
  2    the command line, an environment variable or a setting is wrong
  130  interrupted; serve and --watch end with 0 when stopped
`

/** Prints help and version to standard output, and errors to standard error without the whole help. */
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
          return Print.output(`${event.name} ${event.version}\n`)
        case "InvalidInvocation": {
          const command = event.commandPath.join(" ")
          const lines = [
            ...withoutFlagValues(event.errors).map((error) => explain(error, command)),
            `see ${command} --help`
          ]
          return Effect.forEach(lines, Print.note, { discard: true })
        }
      }
    }
    return CliOutput.layerPresenter({ present: (event) => Effect.provideContext(present(event), stdio) })
  })
)

/** Drops the error about an unknown subcommand if a flag is unknown too: the word may be the value of that flag. */
const withoutFlagValues = (
  errors: ReadonlyArray<CliError.NonShowHelpErrors>
): ReadonlyArray<CliError.NonShowHelpErrors> =>
  errors.some(({ _tag }) => _tag === "UnrecognizedOption")
    ? errors.filter(({ _tag }) => _tag !== "UnknownSubcommand")
    : errors

/** Rewrites the description of an allowed value as plain English. **Example** `"table" | "json"` is `table or json` */
const plain = (expected: string): string => {
  const text = expected.replace(/^Expected /, "")
  if (text === "a string representing a finite number") return "a number"
  const choices = text.split(" | ")
  if (choices.length < 2 || !choices.every((choice) => /^"[^"]*"$/.test(choice))) return text
  const words = choices.map((choice) => choice.slice(1, -1))
  return `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`
}

/** Explains an error without the given value, which may be a misplaced secret. */
const explain = (error: CliError.NonShowHelpErrors, command: string): string => {
  switch (error._tag) {
    case "UnrecognizedOption":
      return `${error.option} is not a flag of ${command}${suggestion(error.suggestions)}`
    case "UnknownSubcommand":
      // The unknown word may have been meant as an argument of the command before it.
      if (error.parent !== undefined && error.parent.length > 1) {
        return `${error.parent.join(" ")} has no such command${suggestion(error.suggestions)}`
      }
      return `${error.subcommand} is not a command of ${error.parent?.join(" ") ?? command}${suggestion(error.suggestions)}`
    case "MissingOption":
      return `--${error.option} is missing`
    case "MissingArgument":
      return `${error.argument} is missing`
    case "UnexpectedArgument":
      return `${command} takes no further argument`
    case "InvalidValue": {
      const subject = error.kind === "flag" ? `--${error.option}` : error.option
      if (error.expected === "at most 1 value") return `${subject} may be given once`
      return error.value === "" ? `${subject} needs a value` : `${subject} must be ${plain(error.expected)}`
    }
    case "DuplicateOption":
    case "ValidationError":
    case "UserError":
      return error.message
  }
}

const suggestion = (suggestions: ReadonlyArray<string>): string =>
  suggestions.length === 0 ? "" : `; did you mean ${suggestions.join(" or ")}?`
