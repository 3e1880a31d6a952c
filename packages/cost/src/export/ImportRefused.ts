/**
 * What is read is no export.
 */
import { Schema } from "effect"

/** Refuses a file. **Shape** `line` is where the record begins, from 1. */
export class ImportRefused extends Schema.TaggedError<ImportRefused>()("ImportRefused", {
  line: Schema.Int,
  problem: Schema.String
}) {
  override get message(): string {
    return `line ${this.line}: ${this.problem}`
  }
}
