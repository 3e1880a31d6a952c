/** A command that did not do what was asked, told in lines for a person. */
import { Runtime, Schema } from "effect"

/**
 * Ends the program.
 *
 * **Shape** one line a problem; `exitCode` 1 for a failure, 2 when the command line itself is at fault.
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
export const failed = (...lines: ReadonlyArray<string>): CommandFailure => new CommandFailure({ lines, exitCode: 1 })

/** Fails for what stands, or is missing, on the command line. */
export const misused = (...lines: ReadonlyArray<string>): CommandFailure => new CommandFailure({ lines, exitCode: 2 })

/** Fails with an error that says what is wrong in its message; what follows its first line is the log that proves it. */
export const fromError = (error: { readonly message: string }): CommandFailure => failed(...error.message.split("\n"))
