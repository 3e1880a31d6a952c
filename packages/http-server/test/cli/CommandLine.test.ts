import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { readFileSync } from "node:fs"
import { rows } from "../../src/settings/Table.ts"
import { variableOf } from "../../src/settings/Variables.ts"
import { quarterdeck, quarterdeckProcess } from "./program.ts"

const { version } = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Struct({ version: Schema.String })))(
  readFileSync(new URL("../../package.json", import.meta.url), "utf8")
)

const COMMANDS = [
  ...[
    "",
    "serve",
    "clusters",
    "namespaces",
    "whoami",
    "doctor",
    "workloads",
    "pods",
    "events",
    "cost",
    "cost by",
    "cost explain",
    "cost check",
    "cost repair",
    "cost export"
  ],
  ...["cost import", "prices", "prices get", "prices set"],
  ...["key", "key create", "key list", "key revoke", "key generate", "key hash"],
  ...["clusters add", "clusters drop"]
]

describe("quarterdeck", () => {
  it.live("prints its version", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* quarterdeck(["--version"]), {
        stdout: `quarterdeck ${version}\n`,
        stderr: "",
        status: 0
      })
    })
  )

  it.live.each(COMMANDS)("helps with examples and exit statuses: %s", (command) =>
    Effect.gen(function* () {
      const { status, stderr, stdout } = yield* quarterdeck([
        ...command.split(" ").filter((word) => word !== ""),
        "--help"
      ])
      assert.strictEqual(status, 0)
      assert.strictEqual(stderr, "")
      assert.include(stdout, "EXAMPLES")
      assert.match(stdout, /EXIT STATUS\n {2}0 .*\n {2}1 .*\n {2}2 /)
    })
  )

  it.live("lists every setting, its variable and its default in the help of serve", () =>
    Effect.gen(function* () {
      const { stdout } = yield* quarterdeck(["serve", "--help"])
      for (const row of rows) {
        const line = stdout.split("\n").find((text) => text.trimStart().startsWith(`--${row.flag} `)) ?? ""
        assert.include(line, row.path)
        assert.include(line, variableOf(row))
        if (row.initialText !== undefined) assert.include(line, `default ${row.initialText}`)
      }
    })
  )

  it.live("lists every command in its help, its completions, and beside an unknown command", () =>
    Effect.gen(function* () {
      const { stdout } = yield* quarterdeck(["--help"])
      const commands = /\nSUBCOMMANDS\n((?: {2}.*\n)+)/.exec(stdout)?.[1]?.match(/^ {2}[a-z-]+/gm) ?? []
      assert.lengthOf(commands, 21)
      const completions = yield* quarterdeck(["workloads", "--completions", "bash"])
      for (const command of commands) assert.include(completions.stdout, command.trim())
      const unknown = yield* quarterdeck(["workload"])
      assert.strictEqual(unknown.status, 2)
      assert.include(unknown.stderr, "workload is not a command of quarterdeck; did you mean workloads")
    })
  )

  it.live("helps when a command needs another", () =>
    Effect.gen(function* () {
      const { status, stdout } = yield* quarterdeck(["key"])
      assert.strictEqual(status, 0)
      assert.include(stdout, "revoke")
    })
  )

  it.live.each([
    {
      args: ["workload"],
      stderr:
        "quarterdeck: workload is not a command of quarterdeck; did you mean workloads?\nquarterdeck: see quarterdeck --help\n"
    },
    {
      args: ["serve", "--prot", "1", "--hots", "x"],
      stderr:
        "quarterdeck: --prot is not a flag of quarterdeck serve; did you mean --port?\n"
        + "quarterdeck: --hots is not a flag of quarterdeck serve; did you mean --host?\n"
        + "quarterdeck: see quarterdeck serve --help\n"
    },
    {
      args: ["serve", "--port", "1", "--port", "2"],
      stderr: "quarterdeck: --port may be given once\nquarterdeck: see quarterdeck serve --help\n"
    },
    {
      args: ["workloads", "--limit", "0"],
      stderr:
        "quarterdeck: --limit must be a whole number from 1 to 100000\nquarterdeck: see quarterdeck workloads --help\n"
    },
    {
      args: ["workloads", "--cluster", "a||b"],
      stderr:
        "quarterdeck: --cluster must be a cluster's name, several joined by |, or *\nquarterdeck: see quarterdeck workloads --help\n"
    },
    {
      args: ["key", "revoke"],
      stderr: "quarterdeck: id is missing\nquarterdeck: see quarterdeck key revoke --help\n"
    },
    {
      args: ["key", "create"],
      stderr: "quarterdeck: --name is missing\nquarterdeck: see quarterdeck key create --help\n"
    },
    {
      args: ["clusters", "--url"],
      stderr: "quarterdeck: --url needs a value\nquarterdeck: see quarterdeck clusters --help\n"
    }
  ])("tells a mistake in one line and ends with 2: $args", ({ args, stderr }) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* quarterdeck(args), { stdout: "", stderr, status: 2 })
    })
  )

  it.live.each([
    { args: ["--version"], status: 0 },
    { args: ["serve", "--help"], status: 0 },
    { args: ["key", "hash"], stdin: "a key of its own", status: 0 },
    { args: ["serve", "--config", "/proc/none.yaml"], status: 2 },
    { args: ["workload"], status: 2 }
  ])("as a process writes to the same streams, and ends with the same status: $args", ({ args, status, ...given }) =>
    Effect.gen(function* () {
      const finished = yield* quarterdeckProcess(args, given)
      assert.deepStrictEqual(finished, yield* quarterdeck(args, given))
      assert.strictEqual(finished.status, status)
    })
  )

  it.live("never repeats a key that was put where it must not stand", () =>
    Effect.gen(function* () {
      for (const args of [
        ["key", "hash", "hunter2"],
        ["clusters", "hunter2"],
        ["workloads", "--limit", "hunter2"]
      ]) {
        const { status, stderr } = yield* quarterdeck(args)
        assert.strictEqual(status, 2)
        assert.notInclude(stderr, "hunter2")
      }
    })
  )
})
