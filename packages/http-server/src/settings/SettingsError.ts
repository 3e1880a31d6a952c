/**
 * The problems found in the settings, each with its origin.
 */
import { Schema } from "effect"

/**
 * The origin of a value. **Shape** `place` is the line and column in the file, both counted from 1. It is absent if the
 * problem concerns the whole file.
 */
export const Origin = Schema.TaggedUnion({
  Flag: { name: Schema.String },
  Environment: { name: Schema.String },
  File: {
    path: Schema.String,
    place: Schema.optionalKey(Schema.Struct({ line: Schema.Natural, column: Schema.Natural }))
  },
  Default: {}
})
export type Origin = typeof Origin.Type

/**
 * Prints the origin of a value.
 *
 * **Example** `--port`, `QUARTERDECK_PORT`, `quarterdeck.yaml:3:9`, `default`
 */
export const printOrigin = (origin: Origin): string => {
  switch (origin._tag) {
    case "Flag":
      return `--${origin.name}`
    case "Environment":
      return origin.name
    case "File":
      return origin.place === undefined ? origin.path : `${origin.path}:${origin.place.line}:${origin.place.column}`
    case "Default":
      return "default"
  }
}

/**
 * One problem.
 *
 * **Shape** `message` names the setting and the allowed values, never the value itself: it may be a misplaced secret.
 */
export const Problem = Schema.Struct({ origin: Origin, message: Schema.String })
export type Problem = typeof Problem.Type

/**
 * All problems of the settings, at least one. **Shape** `message` has one line per problem.
 */
export class SettingsError extends Schema.TaggedError<SettingsError>()("SettingsError", {
  problems: Schema.Array(Problem)
}) {
  /** One line per problem. */
  get lines(): ReadonlyArray<string> {
    return this.problems.map(({ message, origin }) => `${printOrigin(origin)}: ${message}`)
  }

  override get message(): string {
    return this.lines.join("\n")
  }
}
