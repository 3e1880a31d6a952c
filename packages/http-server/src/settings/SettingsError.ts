/**
 * What is wrong with the settings, and where each mistake stands.
 */
import { Schema } from "effect"

/** Where a value was given. **Shape** `place`, counted from 1, is absent when the file as a whole is meant. */
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
 * Names the place where a value was given.
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
 * One mistake.
 *
 * **Shape** `message` names the setting and what is allowed, never the value: it may be a secret put in the wrong place.
 */
export const Problem = Schema.Struct({ origin: Origin, message: Schema.String })
export type Problem = typeof Problem.Type

/**
 * Every mistake of one reading, at least one.
 *
 * **Shape** `message` has one line a mistake.
 */
export class SettingsError extends Schema.TaggedError<SettingsError>()("SettingsError", {
  problems: Schema.Array(Problem)
}) {
  /** One line a mistake. */
  get lines(): ReadonlyArray<string> {
    return this.problems.map(({ message, origin }) => `${printOrigin(origin)}: ${message}`)
  }

  override get message(): string {
    return this.lines.join("\n")
  }
}
