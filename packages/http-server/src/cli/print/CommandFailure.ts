/**
 * A command that did not do what was asked, told in lines for a person.
 */
import { Runtime, Schema } from "effect"
import * as PlainText from "./PlainText.ts"

/**
 * Ends the program.
 *
 * **Shape** one line a problem, already told when it leaves `Cli.run`; `exitCode` 1 for a failure, 2 when the command
 * line or a setting is at fault, wherever that stands.
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

  /** Its lines are the report. */
  override get [Runtime.errorReported](): boolean {
    return false
  }
}

/** Fails for a reason outside the command line. */
export const failed = (...lines: ReadonlyArray<string>): CommandFailure =>
  new CommandFailure({ lines: lines.map(PlainText.oneLine), exitCode: 1 })

/** Fails for what stands, or is missing, on the command line or in the variables that stand in for it. */
export const misused = (...lines: ReadonlyArray<string>): CommandFailure =>
  new CommandFailure({ lines: lines.map(PlainText.oneLine), exitCode: 2 })

/** Fails with an error that says what is wrong in its message, a line a problem. */
export const fromError = (error: { readonly message: string }): CommandFailure => failed(...error.message.split("\n"))
