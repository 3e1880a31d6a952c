/** Fleets held by the command, as people use them: in the foreground, in the background, killed, and side by side. */
import { assert, describe, it } from "@effect/vitest"
import { appendFile, readdir, readFile, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { Effect, Schema } from "effect"
import { eventually } from "../../src/machine/Eventually.ts"
import { ended, LIMIT, place } from "./Place.ts"

describe("harness up", () => {
  it.effect(
    "holds a fleet in the background, says how it is, and takes it down",
    () =>
      Effect.gen(function* () {
        const { files, harness, program, status } = yield* place
        const up = yield* program("up --detach --clusters hub,eu --seed small")
        assert.deepStrictEqual([up.code, up.out], [0, `export KUBECONFIG='${join(files, "default.kubeconfig")}'\n`])
        const [fleet] = yield* status
        assert.strictEqual(fleet?.state, "held")
        assert.deepStrictEqual(
          fleet?.clusters.map(({ isReady, name }) => [name, isReady]),
          [
            ["hub", true],
            ["eu", true]
          ]
        )
        const kubeconfig = yield* Effect.promise(() => readFile(fleet?.kubeconfig ?? "", "utf8"))
        for (const { server } of fleet?.clusters ?? []) assert.include(kubeconfig, server)
        for (const name of yield* Effect.promise(() => readdir(files))) {
          const { mode } = yield* Effect.promise(() => stat(join(files, name)))
          // The lock names a process and holds nothing else.
          if (!name.endsWith(".lock")) assert.strictEqual(mode & 0o777, 0o600, name)
        }
        assert.deepStrictEqual(yield* program("down"), { code: 0, out: "default is down\n", err: "" })
        assert.deepStrictEqual(yield* Effect.promise(() => readdir(files)), [])
        assert.strictEqual((yield* harness("status")).out, "no fleet is held\n")
      }),
    LIMIT
  )

  it.effect(
    "in the foreground it prints plain lines without a terminal, and Ctrl-C takes all down",
    () =>
      Effect.gen(function* () {
        const { files, foreground, status } = yield* place
        const child = yield* foreground("up --clusters hub")
        const printed = child.stdout === null ? Promise.resolve("") : text(child.stdout)
        yield* eventually("the fleet is held", status, ([fleet]) => fleet?.state === "held", { within: "60 seconds" })
        assert.strictEqual(yield* ended(child, "SIGINT"), 130)
        assert.match(
          yield* Effect.promise(() => printed),
          /^starting hub on embedded\nexport KUBECONFIG='.+'\nkubectl --context hub get all .+\n$/
        )
        assert.deepStrictEqual(yield* Effect.promise(() => readdir(files)), [])
      }),
    LIMIT
  )

  it.effect(
    "prints commands that a shell takes as they are, and says once that there are no nodes",
    () =>
      Effect.gen(function* () {
        const { foreground, harness, program, status } = yield* place
        const child = yield* foreground("up --clusters Hub!,x --kubelet --controllers")
        const printed = child.stdout === null ? Promise.resolve("") : text(child.stdout)
        const warned = child.stderr === null ? Promise.resolve("") : text(child.stderr)
        yield* eventually("the fleet is held", status, ([fleet]) => fleet?.state === "held", { within: "60 seconds" })
        yield* ended(child, "SIGINT")
        const warning = "harness: no nodes in Hub!, x: pods stay Pending; use --seed or create nodes\n"
        assert.include(yield* Effect.promise(() => printed), "\nkubectl --context 'Hub!' get all")
        assert.include(yield* Effect.promise(() => printed), "\nkubectl --context x get all")
        assert.strictEqual(yield* Effect.promise(() => warned), warning)

        const bare = yield* program("up -d --clusters Hub!,x --kubelet")
        assert.match(
          bare.err,
          new RegExp(
            `^${warning}harness: process \\d+ holds default; take it down with: npx pnpm@12 harness down default\n$`
          )
        )
        const seeded = yield* program("up -d --name seeded --clusters hub --kubelet --controllers --seed small")
        assert.match(seeded.err, /^harness: process \d+ holds seeded; .+\n$/)
        assert.include((yield* harness("up --help")).out, "Needs nodes: --seed creates some")
      }),
    LIMIT
  )

  it.effect(
    "two fleets live side by side, a name is taken once, and down asks which",
    () =>
      Effect.gen(function* () {
        const { files, harness, program, status } = yield* place
        assert.strictEqual((yield* program("up -d --name one --clusters a")).code, 0)
        assert.strictEqual((yield* program("up -d --name two --clusters b")).code, 0)
        const again = yield* harness("up --name one")
        assert.strictEqual(again.code, 1)
        assert.match(again.err, /^harness: the fleet one is already held by process \d+; choose another --name/)
        const detached = yield* program("up -d --name one")
        assert.deepStrictEqual(detached, again)
        assert.include(yield* Effect.promise(() => readFile(join(files, "one.log"), "utf8")), "starting a on embedded")
        assert.deepStrictEqual(yield* harness("down"), {
          code: 2,
          out: "",
          err: "harness: several fleets are held: one, two\n"
        })
        assert.strictEqual((yield* harness("down one")).code, 0)
        const left = yield* status
        assert.deepStrictEqual(
          left.map(({ name, state }) => [name, state]),
          [["two", "held"]]
        )
      }),
    LIMIT
  )

  it.effect(
    "leaves one process in the background, however that is spelled",
    () =>
      Effect.gen(function* () {
        const { program, status } = yield* place
        const spellings = ["--detach", "-d", "--detach=true", "-d=true", "--detach true"]
        const held = yield* Effect.forEach(
          spellings,
          (spelling, index) => program(`up --clusters hub --name n${index} ${spelling}`),
          { concurrency: 2 }
        )
        for (const [index, { code, err }] of held.entries()) {
          assert.strictEqual(code, 0, err)
          assert.match(err, new RegExp(`^harness: process \\d+ holds n${index};`))
        }
        assert.deepStrictEqual(
          (yield* status).map(({ name, state }) => `${name} ${state}`),
          spellings.map((_, index) => `n${index} held`)
        )
      }),
    LIMIT
  )

  it.effect(
    "writes a kubeconfig for its user alone, to a place where nobody else's file is, and removes it",
    () =>
      Effect.gen(function* () {
        const { files, harness, home, program } = yield* place
        const path = join(home, "mine")
        yield* Effect.promise(() => writeFile(path, "apiVersion: v1\n", { mode: 0o644 }))
        const refused = yield* harness(`up --clusters hub --kubeconfig ${path}`)
        assert.deepStrictEqual(
          [refused.code, refused.err],
          [1, `harness: --kubeconfig must name a new file: harness up did not write the one at ${path}\n`]
        )
        assert.strictEqual(yield* Effect.promise(() => readFile(path, "utf8")), "apiVersion: v1\n")
        const detached = yield* program(`up -d --clusters hub --kubeconfig ${path}`)
        assert.strictEqual(detached.code, 1)
        assert.include(detached.err, "harness: --kubeconfig must name a new file")
        assert.deepStrictEqual(yield* Effect.promise(() => readdir(files)), [])

        const fresh = join(home, "fresh")
        assert.strictEqual((yield* program(`up -d --clusters hub --kubeconfig ${fresh}`)).code, 0)
        assert.strictEqual((yield* Effect.promise(() => stat(fresh))).mode & 0o777, 0o600)
        assert.include(yield* Effect.promise(() => readFile(fresh, "utf8")), "current-context: hub")
        assert.strictEqual((yield* harness("down")).code, 0)
        assert.notInclude(yield* Effect.promise(() => readdir(home)), "fresh")
      }),
    LIMIT
  )

  it.effect(
    "a holder that was killed is seen as dead, swept, and its name is free again",
    () =>
      Effect.gen(function* () {
        const { files, foreground, harness, program, status } = yield* place
        const child = yield* foreground("up --clusters hub")
        yield* eventually("the fleet is held", status, ([fleet]) => fleet?.state === "held", { within: "60 seconds" })
        yield* ended(child, "SIGKILL")
        assert.deepStrictEqual(
          (yield* status).map(({ state }) => state),
          ["left by a dead process"]
        )
        assert.strictEqual((yield* harness("sweep")).out, "removed held fleet default\n")
        assert.deepStrictEqual(yield* Effect.promise(() => readdir(files)), [])
        assert.strictEqual((yield* harness("sweep")).out, "nothing to remove\n")
        assert.strictEqual((yield* program("up -d --clusters hub")).code, 0)
      }),
    LIMIT
  )

  for (const remedy of ["down default", "sweep", "up -d --clusters hub"]) {
    it.effect(
      `the kubeconfig of a holder that was killed goes by ${remedy}, a changed one stays`,
      () =>
        Effect.gen(function* () {
          const { foreground, harness, home, program, status } = yield* place
          const path = join(home, "mine")
          const changed = join(home, "changed")
          const holders = yield* Effect.forEach(
            [
              ["default", path],
              ["other", changed]
            ],
            ([name, file]) => foreground(`up --clusters hub --name ${name} --kubeconfig ${file}`)
          )
          yield* eventually(
            "both fleets are held",
            status,
            (fleets) => fleets.filter(({ state }) => state === "held").length === 2,
            { within: "60 seconds" }
          )
          yield* Effect.promise(() => appendFile(changed, "# mine now\n"))
          yield* Effect.forEach(holders, (child) => ended(child, "SIGKILL"))
          assert.include(yield* Effect.promise(() => readdir(home)), "mine")
          assert.strictEqual((yield* (remedy.startsWith("up") ? program : harness)(remedy)).code, 0)
          assert.strictEqual((yield* harness("sweep")).code, 0)
          const left = yield* Effect.promise(() => readdir(home))
          assert.notInclude(left, "mine")
          assert.include(left, "changed")
        }),
      LIMIT
    )
  }

  it.effect(
    "says in one line what is wrong with the command line, and what the driver lacks",
    () =>
      Effect.gen(function* () {
        const { files, harness, home, program } = yield* place
        const mistakes = [
          ["up --driver vmware", "harness: --driver must be"],
          ["up --clusters a,,b", "harness: --clusters must be comma-separated names"],
          ["up --clusters a,a", "harness: --clusters must be comma-separated names without duplicates, not a,a"],
          ["up --clusters ä -d", "harness: --clusters must be comma-separated names of 1 to 253"],
          ["up --driver existing -d", "harness: --kubeconfig is missing"],
          ["up --detach=maybe", 'harness: --detach must be "true" | '],
          ["up --name Ä", "harness: --name must be lower-case letters, digits and dashes, not Ä\n"],
          ["uq", "harness: uq is not a command of harness; did you mean up?"]
        ] as const
        for (const [args, line] of mistakes) {
          const { code, err } = yield* harness(args)
          assert.strictEqual(code, 2, args)
          assert.isTrue(err.startsWith(line), err)
        }
        assert.deepStrictEqual(yield* program("uq"), yield* harness("uq"))
        assert.notInclude(yield* Effect.promise(() => readdir(home)), ".local")
        const missing = yield* harness("up --driver control-plane")
        assert.strictEqual(missing.code, 1)
        assert.include(missing.err, "harness: cluster hub: the control-plane driver cannot run here: ")
        const detached = yield* program("up -d --driver control-plane")
        assert.strictEqual(detached.code, 1)
        assert.include(detached.err, "the control-plane driver cannot run here: ")
        assert.deepStrictEqual(yield* Effect.promise(() => readdir(files)), [])
      }),
    LIMIT
  )
})

describe("harness doctor", () => {
  it.effect(
    "gives each finding with a verdict and what is wrong with a remedy",
    () =>
      Effect.gen(function* () {
        const { harness } = yield* place
        const { code, out } = yield* harness("doctor --json")
        const Findings = Schema.fromJsonString(
          Schema.Array(
            Schema.Struct({
              name: Schema.String,
              verdict: Schema.Literals(["ok", "warn", "fail"]),
              detail: Schema.String,
              remedy: Schema.optionalKey(Schema.String)
            })
          )
        )
        const findings = yield* Schema.decodeUnknownEffect(Findings)(out)
        for (const { name, remedy, verdict } of findings)
          assert.strictEqual(remedy === undefined, verdict === "ok", name)
        const verdictOf = (name: string) => findings.find((finding) => finding.name === name)?.verdict
        assert.strictEqual(verdictOf("Node"), "ok")
        assert.strictEqual(verdictOf("programs"), "warn")
        assert.strictEqual(verdictOf("Docker"), "warn")
        assert.strictEqual(code, findings.some(({ verdict }) => verdict === "fail") ? 1 : 0)
        const lines = (yield* harness("doctor")).out
        assert.match(lines, /^ok +Node +v\d+/)
        assert.include(lines, "\n      -> ")
      }),
    LIMIT
  )
})
