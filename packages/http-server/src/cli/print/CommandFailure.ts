/**
 * The failure of a command, as lines for its user.
 */
import { Runtime, Schema } from "effect"
import * as PlainText from "./PlainText.ts"

/**
 * A failure that ends the program.
 *
 * **Shape** one line for each problem. `Cli.run` prints them. `exitCode` is 2 if the command line, a variable or a setting
 * is wrong, else 1.
 */
export class CommandFailure extends Schema.TaggedError<CommandFailure>()("CommandFailure", {
  lines: Schema.Array(Schema.String),
  exitCode: Schema.Literals([1, 2])
}) {
  override get message(): string {
    return this.lines.join("\n")
  }

  override get [Runtime.errorExitCode](): number {
    return this.exitCode
  }

  /** Keeps the runtime from printing the failure, whose lines are already printed. */
  override get [Runtime.errorReported](): boolean {
    return false
  }
}

/** Makes a failure with exit code 1. */
export const failed = (...lines: ReadonlyArray<string>): CommandFailure =>
  new CommandFailure({ lines: lines.map(PlainText.oneLine), exitCode: 1 })

/** Makes a failure with exit code 2: a flag, an argument or an environment variable is wrong or missing. */
export const misused = (...lines: ReadonlyArray<string>): CommandFailure =>
  new CommandFailure({ lines: lines.map(PlainText.oneLine), exitCode: 2 })

/** Makes a failure with exit code 1 from an error, whose message has a line for each problem. */
export const fromError = (error: { readonly message: string }): CommandFailure => failed(...error.message.split("\n"))
