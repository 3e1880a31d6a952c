/** The command as people run it, on machines that lack something. */
import { assert, describe, it } from "@effect/vitest"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { chmod, mkdir, readdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { Effect } from "effect"
import { KUBERNETES_VERSION, PROGRAMS } from "../../src/assets/Programs.ts"
import { temporaryDirectory } from "../internal/Fixture.ts"

const ENTRY = new URL("../../src/bin/assets.ts", import.meta.url).pathname

const command = (argument: string, env: Record<string, string>) =>
  Effect.promise(async () => {
    const child = spawn(process.execPath, ["--conditions=source", ENTRY, argument], {
      env,
      stdio: ["ignore", "pipe", "pipe"]
    })
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")])
    return { code: child.exitCode, out, err }
  })

const script = (directory: string, name: string, body: string) =>
  Effect.promise(async () => {
    await mkdir(directory, { recursive: true })
    await writeFile(join(directory, name), `#!/bin/sh\n${body}\n`)
    await chmod(join(directory, name), 0o755)
  })

describe("quarterdeck-assets", () => {
  it.effect("build ends with one line and status 1 when Go is missing", () =>
    Effect.gen(function* () {
      const home = yield* temporaryDirectory
      assert.deepStrictEqual(yield* command("build", { HOME: home, PATH: home }), {
        code: 1,
        out: "",
        err: "quarterdeck-assets: Go is not installed; version 1.26 or newer is needed\n"
      })
    })
  )

  it.effect("build ends with one line and status 1 when Go is too old", () =>
    Effect.gen(function* () {
      const home = yield* temporaryDirectory
      yield* script(home, "go", "echo go version go1.21.3 linux/amd64")
      const { code, err } = yield* command("build", { HOME: home, PATH: home })
      assert.deepStrictEqual(
        [code, err],
        [1, "quarterdeck-assets: Go 1.21 is too old; version 1.26 or newer is needed\n"]
      )
    })
  )

  it.effect("build ends with the compiler's last line when it fails, and leaves nothing half done", () =>
    Effect.gen(function* () {
      const home = yield* temporaryDirectory
      yield* script(
        home,
        "go",
        '[ "$1" = version ] && echo go version go1.26.0 linux/amd64 && exit; echo broken >&2; exit 1'
      )
      const { code, err } = yield* command("build", { HOME: home, PATH: `${home}:/usr/bin:/bin` })
      assert.deepStrictEqual([code, err], [1, "quarterdeck-assets: etcd could not be built: broken\n"])
      const cache = join(home, ".cache", "quarterdeck", "kubernetes")
      assert.deepStrictEqual(yield* Effect.promise(() => readdir(cache, { recursive: true })), [KUBERNETES_VERSION])
    })
  )

  it.effect("build makes what is missing, and then finds nothing to do", () =>
    Effect.gen(function* () {
      const home = yield* temporaryDirectory
      // A compiler that writes what it was asked for where it was asked to.
      const write = 'while [ "$1" != -o ]; do shift; done; echo "$3" > "$2"'
      yield* script(home, "go", `[ "$1" = version ] && echo go version go1.26.0 linux/amd64 && exit; ${write}`)
      const env = { HOME: home, PATH: `${home}:/usr/bin:/bin` }
      const { code, out, err } = yield* command("build", env)
      assert.deepStrictEqual([code, err], [0, ""])
      assert.strictEqual(out.trim().split("\n").at(-1), `built ${PROGRAMS.join(", ")}`)
      const cache = join(home, ".cache", "quarterdeck", "kubernetes", KUBERNETES_VERSION)
      const made = yield* Effect.promise(() => readdir(cache))
      assert.deepStrictEqual(made.toSorted(), PROGRAMS.toSorted())
      assert.strictEqual((yield* command("build", env)).out, "nothing to build: every program is there\n")
      assert.include((yield* command("list", env)).out, `etcd: ${join(cache, "etcd")} (cache)\n`)
    })
  )

  it.effect("list says where each program is, or that it is not found", () =>
    Effect.gen(function* () {
      const home = yield* temporaryDirectory
      yield* script(home, "etcd", "exit 0")
      const { code, out } = yield* command("list", { HOME: home, KUBEBUILDER_ASSETS: home })
      assert.strictEqual(code, 0)
      assert.include(out, `etcd: ${join(home, "etcd")} (KUBEBUILDER_ASSETS)\nkube-apiserver: not found\n`)
    })
  )

  it.effect("another word ends with the usage and status 2", () =>
    Effect.gen(function* () {
      const home = yield* temporaryDirectory
      const { code, err } = yield* command("biuld", { HOME: home })
      assert.deepStrictEqual([code, err], [2, "usage: quarterdeck-assets build | list\n"])
    })
  )
})
