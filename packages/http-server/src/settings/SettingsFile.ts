/**
 * The settings in a YAML file, each with its line and column.
 */
import { Effect, FileSystem, Result } from "effect"
import * as Nearest from "./Nearest.ts"
import type { Origin, Problem } from "./SettingsError.ts"
import * as StrictYaml from "./StrictYaml.ts"
import { rows } from "./Table.ts"
import * as SystemRefusal from "./SystemRefusal.ts"

/** A value in the file. */
export interface Given {
  readonly origin: Origin
  readonly value: unknown
  /** The type of the value in words, for an error message. */
  readonly found: string
}

/**
 * The contents of a file: `given` has the values by setting path, `problems` the syntax errors and unknown settings.
 */
export interface Contents {
  readonly given: ReadonlyMap<string, Given>
  readonly problems: ReadonlyArray<Problem>
}

export const empty: Contents = { given: new Map(), problems: [] }

/** Larger than any settings file. A larger file is refused without parsing it. */
const MAX_BYTES = 256 * 1024

/**
 * Reads a file. Returns a failure to read it as a problem, to be reported with all others.
 *
 * **Limits** one file, 256 KiB.
 */
export const read = Effect.fn("SettingsFile.read")(function* (path: string) {
  const files = yield* FileSystem.FileSystem
  const unusable = (message: string): Contents => ({
    given: new Map(),
    problems: [{ origin: { _tag: "File", path }, message }]
  })
  return yield* Effect.gen(function* () {
    const { size } = yield* files.stat(path)
    if (size > MAX_BYTES) return unusable(`the file is larger than ${MAX_BYTES / 1024} KiB`)
    return parse(path, yield* files.readFileString(path))
  }).pipe(
    Effect.catchTag("PlatformError", ({ reason }) =>
      Effect.succeed(unusable(`the file cannot be read: ${SystemRefusal.print(reason)}`))
    )
  )
})

/** The name of the parsed text in messages, and the additional keys that messages list as allowed. */
interface Whole {
  readonly name: string
  readonly alsoHolds: ReadonlyArray<string>
}

/**
 * Parses the text of a file. `path` only appears in origins.
 */
export const parse = (path: string, text: string, whole: Whole = { name: "the file", alsoHolds: [] }): Contents => {
  const originAt = (place: StrictYaml.Place): Origin => ({ _tag: "File", path, place })
  const parsed = StrictYaml.parse(text)
  if (Result.isFailure(parsed)) {
    return {
      given: new Map(),
      problems: parsed.failure.map(({ message, place }) => ({ origin: originAt(place), message }))
    }
  }
  const given = new Map<string, Given>()
  const problems: Array<Problem> = []
  /** Collects a section's settings. **Limits** recurses no deeper than the table of settings. */
  const collect = (section: string, node: StrictYaml.Node): void => {
    if (node._tag === "Scalar" && node.value === null) return
    if (node._tag !== "Mapping") {
      const what = section === "" ? whole.name : section
      problems.push({
        origin: originAt(node.place),
        message: `${what} must be a map of settings, found ${kindOf(node)}`
      })
      return
    }
    for (const { key, place, value } of node.entries) {
      const setting = section === "" ? key : `${section}.${key}`
      // `server.port: 1` is one key with a dot, not the setting `port` in `server`.
      const plain = !key.includes(".")
      if (plain && rows.some((row) => row.path === setting)) {
        given.set(setting, { origin: originAt(value.place), value: StrictYaml.toValue(value), found: kindOf(value) })
        continue
      }
      if (plain && rows.some((row) => row.path.startsWith(`${setting}.`))) {
        collect(setting, value)
        continue
      }
      const told = printable(setting)
      const holder = section === "" ? whole.name : section
      const hint = Nearest.suggestion(meant(key, told, whole))
      const message = `${told} is not a setting${hint}${hint === "" ? ";" : ""} ${holder} may contain ${membersOf(section, whole)}`
      problems.push({ origin: originAt(place), message })
    }
  }
  collect("", parsed.success)
  return { given, problems }
}

/** Suggests a setting or section for an unknown key: one of the same name in another section, else the closest name. */
const meant = (key: string, setting: string, { alsoHolds }: Whole): string | undefined => {
  const paths = rows.map(({ path }) => path)
  const elsewhere = paths.filter((path) => path.endsWith(`.${key}`))
  if (elsewhere.length === 1) return elsewhere[0]
  const sections = paths.flatMap((path) =>
    path
      .split(".")
      .slice(0, -1)
      .map((_, depth, steps) => steps.slice(0, depth + 1).join("."))
  )
  return Nearest.find(setting, [...paths, ...new Set(sections), ...alsoHolds])
}

const membersOf = (section: string, { alsoHolds }: Whole): string => {
  const prefix = section === "" ? "" : `${section}.`
  const members = rows
    .filter((row) => row.path.startsWith(prefix))
    .map((row) => row.path.slice(prefix.length).split(".")[0])
  return [...new Set([...members, ...(section === "" ? alsoHolds : [])])].join(", ")
}

const kindOf = (node: StrictYaml.Node): string => {
  switch (node._tag) {
    case "List":
      return "a list"
    case "Mapping":
      return "a map"
    case "Scalar":
      if (node.value === null) return "nothing"
      if (typeof node.value === "string") return "text"
      return typeof node.value === "number" ? "a number" : "true or false"
  }
}

/** Makes a key safe for a message: printable ASCII, at most 80 characters. */
const printable = (text: string): string => {
  const plain = text.replace(/[^\x20-\x7e]/g, "?")
  return plain.length > 80 ? `${plain.slice(0, 80)}…` : plain
}
