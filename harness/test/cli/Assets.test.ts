/** The command as people run it, on machines that lack something. */
import { assert, describe, it } from "@effect/vitest"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { chmod, mkdir, readdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { Effect } from "effect"
import { KUBERNETES_VERSION, PROGRAMS } from "../../src/drivers/control-plane/assets/Programs.ts"
import { machineOf } from "../../src/drivers/control-plane/assets/ReleaseIndex.ts"
import { archiveOf, indexOf, PROGRAM_ENTRIES, serving, sha512 } from "../drivers/control-plane/assets/Published.ts"
import { runInProcess } from "./inProcess.ts"
import { compileCache, temporaryDirectory } from "../machine/Fixture.ts"

const ENTRY = new URL("../../src/cli/harness.ts", import.meta.url).pathname

/** Runs the command within this process; what starts programs, which get the environment, is about a process of its own. */
const inProcess = (args: string, env: Record<string, string>) => runInProcess(["assets", ...args.split(" ")], env)

const command = (args: string, env: Record<string, string>) =>
  Effect.promise(async () => {
    const child = spawn(process.execPath, ["--conditions=@quarterdeck/source", ENTRY, "assets", ...args.split(" ")], {
      env: { ...compileCache, ...env },
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

const placesIn = (directory: string) => PROGRAMS.map((name) => `${name}: ${join(directory, name)} (cache)\n`).join("")

describe("harness assets", () => {
  it.effect("build ends with one line and status 1 when Go is missing", () =>
    Effect.gen(function* () {
      const home = yield* temporaryDirectory
      assert.deepStrictEqual(yield* command("build", { HOME: home, PATH: home }), {
        code: 1,
        out: "",
        err: "harness: Go is not installed; version 1.26 or newer is needed\n"
      })
    })
  )

  it.effect("build ends with one line and status 1 when Go is too old", () =>
    Effect.gen(function* () {
      const home = yield* temporaryDirectory
      yield* script(home, "go", "echo go version go1.21.3 linux/amd64")
      const { code, err } = yield* command("build", { HOME: home, PATH: home })
      assert.deepStrictEqual([code, err], [1, "harness: Go 1.21 is too old; version 1.26 or newer is needed\n"])
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
      assert.deepStrictEqual([code, err], [1, "harness: etcd could not be built: broken\n"])
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
      const cache = join(home, ".cache", "quarterdeck", "kubernetes", KUBERNETES_VERSION)
      const places = placesIn(cache)
      assert.include(out, `built ${PROGRAMS.join(", ")}\n${places}`)
      const made = yield* Effect.promise(() => readdir(cache))
      assert.deepStrictEqual(made.toSorted(), PROGRAMS.toSorted())
      const again = (yield* inProcess("build", env)).out
      assert.strictEqual(again, `nothing to build: all programs are present\n${places}`)
      assert.include((yield* inProcess("list", env)).out, `etcd: ${join(cache, "etcd")} (cache)\n`)
    })
  )

  it.effect("build asks the module proxy for the newest patch of another minor release, and says what there is", () =>
    Effect.gen(function* () {
      const home = yield* temporaryDirectory
      yield* script(
        home,
        "go",
        '[ "$1" = version ] && echo go version go1.26.0 linux/amd64 || echo k8s.io/kubernetes v1.33.0 v1.34.1 v1.35.0-rc.0'
      )
      const { code, err } = yield* command("build 1.99", { HOME: home, PATH: `${home}:/usr/bin:/bin` })
      assert.deepStrictEqual(
        [code, err],
        [1, "harness: 1.99 is not a release of Kubernetes; available: v1.34.1, v1.33.0\n"]
      )
    })
  )

  it.effect("build makes a module for another release, and builds all of it in a directory of its own", () =>
    Effect.gen(function* () {
      const home = yield* temporaryDirectory
      const goMod = join(home, "upstream.mod")
      yield* Effect.promise(() =>
        writeFile(goMod, "module k8s.io/kubernetes\n\ngo 1.24.0\n\nrequire k8s.io/api v0.0.0\n\nk8s.io/api v0.0.0\n")
      )
      // What `go build` is asked for is written where it was asked to, with the directory in which it was asked.
      yield* script(
        home,
        "go",
        `case $1 in
          version) echo go version go1.26.0 linux/amd64 ;;
          list) echo k8s.io/kubernetes v1.33.1 v1.33.2 ;;
          mod) echo '{ "GoMod": "${goMod}" }' ;;
          build) while [ "$1" != -o ]; do shift; done; pwd > "$2" ;;
        esac`
      )
      const env = { HOME: home, PATH: `${home}:/usr/bin:/bin` }
      const { code, err, out } = yield* command("build 1.33", env)
      assert.deepStrictEqual([code, err], [0, ""])
      const cache = join(home, ".cache", "quarterdeck", "kubernetes")
      const places = placesIn(join(cache, "v1.33.2"))
      assert.include(out, `built ${PROGRAMS.join(", ")}\n${places}`)
      const module = join(cache, "modules", "v1.33.2")
      const server = yield* Effect.promise(() => readFile(join(cache, "v1.33.2", "kube-apiserver"), "utf8"))
      assert.strictEqual(server.trim(), module)
      const made = yield* Effect.promise(() => readFile(join(module, "go.mod"), "utf8"))
      assert.include(made, "require k8s.io/kubernetes v1.33.2\n")
      assert.include(made, "\tk8s.io/api => k8s.io/api v0.33.2\n")
      const again = (yield* inProcess("build 1.33.2", env)).out
      assert.strictEqual(again, `nothing to build: all programs are present\n${places}`)
      assert.include((yield* inProcess("list", env)).out, `cached v1.33.2: ${PROGRAMS.join(", ")}\n`)
    })
  )

  it.effect("download puts published programs into the cache, and says one line when it cannot", () =>
    Effect.gen(function* () {
      const home = yield* temporaryDirectory
      const archive = yield* Effect.promise(() => archiveOf(PROGRAM_ENTRIES))
      const { arch, os } = machineOf(process.platform, process.arch)
      const index = indexOf(sha512(archive), "archive.tar.gz").replace("linux-amd64", `${os}-${arch}`)
      const url = yield* serving((request, response) => {
        if (request.url === "/index.yaml") return void response.end(index)
        response.end(archive)
      })
      const env = { HOME: home, QUARTERDECK_ASSETS_INDEX: `${url}/index.yaml` }
      const cache = join(home, ".cache", "quarterdeck", "kubernetes", "v1.33.2")
      assert.deepStrictEqual(yield* inProcess("download 1.33", env), {
        code: 0,
        out: `downloaded etcd, kube-apiserver, kubectl v1.33.2 to ${cache}\n`,
        err: ""
      })
      const failed = yield* inProcess(`download 1.33 --index ${url}/index.yaml/other`, { HOME: home })
      assert.strictEqual(failed.code, 1)
      assert.match(failed.err, /^harness: \S+ is not an index of archives: .+\n$/)
    })
  )

  it.effect("list says where each program is, or that it is not found", () =>
    Effect.gen(function* () {
      const home = yield* temporaryDirectory
      yield* script(home, "etcd", "exit 0")
      const { code, out } = yield* inProcess("list", { HOME: home, KUBEBUILDER_ASSETS: home })
      assert.strictEqual(code, 0)
      assert.include(out, `etcd: ${join(home, "etcd")} (KUBEBUILDER_ASSETS)\nkube-apiserver: not found\n`)
    })
  )

  it.effect("a word that is no command ends with two lines and status 2", () =>
    Effect.gen(function* () {
      const home = yield* temporaryDirectory
      const { code, err } = yield* command("biuld", { HOME: home })
      assert.deepStrictEqual(
        [code, err],
        [
          2,
          "harness: biuld is not a command of harness assets; did you mean build?\nharness: see harness assets --help\n"
        ]
      )
    })
  )
})
