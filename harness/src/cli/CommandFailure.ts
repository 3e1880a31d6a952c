/** A command's failure, with its messages for the user. */
import { Runtime, Schema } from "effect"

/**
 * Ends the program with an exit code.
 *
 * **Shape** one line per problem. `exitCode` is 1 for a failure and 2 for an invalid command line.
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

  /** The program prints the lines itself, so the runtime must not report the error again. */
  override get [Runtime.errorReported](): boolean {
    return false
  }
}

/** Creates a failure with exit code 1. */
export const failed = (...lines: ReadonlyArray<string>): CommandFailure => new CommandFailure({ lines, exitCode: 1 })

/** Creates a failure for an invalid command line, with exit code 2. */
export const misused = (...lines: ReadonlyArray<string>): CommandFailure => new CommandFailure({ lines, exitCode: 2 })

/** Creates a failure from an error: its message, and any log lines after it. */
export const fromError = (error: { readonly message: string }): CommandFailure => failed(...error.message.split("\n"))
