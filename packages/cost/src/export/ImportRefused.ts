/**
 * The error of a refused import.
 */
import { Schema } from "effect"

/** The file is not a valid export. **Shape** `line` is where the invalid record starts, from 1. */
export class ImportRefused extends Schema.TaggedError<ImportRefused>()("ImportRefused", {
  line: Schema.Int,
  problem: Schema.String
}) {
  override get message(): string {
    return `line ${this.line}: ${this.problem}`
  }
}
