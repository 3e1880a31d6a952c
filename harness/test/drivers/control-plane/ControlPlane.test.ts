/** What only a driver of real processes has to prove; how its clusters behave is in the conformance suite. */
import { assert, describe, it } from "@effect/vitest"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { chmod, readdir, symlink, writeFile } from "node:fs/promises"
import { createServer } from "node:net"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { ConfigProvider, Effect, Option, Redacted } from "effect"
import { cachedVersions, find } from "../../../src/drivers/control-plane/assets/Programs.ts"
import { make as makeApi } from "../../../src/client/ClusterApi.ts"
import * as ControlPlane from "../../../src/drivers/control-plane/ControlPlane.ts"
import * as Drivers from "../../../src/drivers/Drivers.ts"
import { eventually } from "../../../src/machine/Eventually.ts"
import { Fleet } from "../../../src/fleet/Fleet.ts"
import { commandOf } from "../../../src/machine/Processes.ts"
import { compileCache, temporaryDirectory } from "../../machine/Fixture.ts"

const { run } = await Effect.runPromise(Drivers.selected)
const LIMIT = 120_000
const minorOf = (version: string | undefined) => version?.slice(0, version.lastIndexOf("."))
/** The newest of each minor release that is whole. */
const cached = await Effect.runPromise(
  Effect.gen(function* () {
    const versions = yield* Effect.filter(yield* cachedVersions, (version) =>
      Effect.map(Effect.all([find("etcd", version), find("kube-apiserver", version)]), (all) =>
        all.every(Option.isSome)
      )
    )
    return versions.filter((version, index) => minorOf(versions[index - 1]) !== minorOf(version))
  })
)

const runs = (pid: number) => Effect.promise(async () => ((await commandOf(pid)) ?? "").trim() !== "")
const pidOf = Effect.fnUntraced(function* (fleet: Fleet["Service"]) {
  const pid = yield* fleet.parent.pid ?? Effect.succeedNone
  return Option.getOrElse(pid, () => Number.NaN)
})
/** The environment of a machine of which only these settings are known. */
const on = (settings: Record<string, string>) =>
  Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(settings))
/** An environment with the programs of this machine, and a temporary directory of its own. */
const machineIn = Effect.fnUntraced(function* (directory: string) {
  for (const name of ["etcd", "kube-apiserver"] as const) {
    const { path } = yield* Effect.flatMap(find(name), Effect.fromOption)
    yield* Effect.promise(() => symlink(path, join(directory, name)))
  }
  return { KUBEBUILDER_ASSETS: directory, TMPDIR: directory }
})

/** What the driver keeps in a temporary directory. */
const keptIn = Effect.fnUntraced(function* (directory: string) {
  const names = yield* Effect.promise(() => readdir(directory))
  const home = names.find((name) => name.startsWith("quarterdeck-"))
  return home === undefined ? ["no directory at all"] : yield* Effect.promise(() => readdir(join(directory, home)))
})
const ADMINS = [{ name: "admin", groups: ["system:masters"], token: Redacted.make("only-here") }]
const alone = Fleet.make({ driver: ControlPlane.driver, parent: "alone" })

describe("the control-plane driver without its programs", () => {
  it.effect("says what would bring them", () =>
    Effect.gen(function* () {
      const home = yield* temporaryDirectory
      const availability = yield* ControlPlane.driver.available.pipe(on({ HOME: home }))
      assert.strictEqual(availability._tag, "Missing")
      const error = yield* Effect.flip(alone.pipe(on({ HOME: home })))
      assert.strictEqual(error.reason._tag, "DriverUnavailable")
      assert.match(
        error.message,
        /etcd and kube-apiserver not found; run `.*build` \(needs Go 1.26 or newer\), or set KUBEBUILDER_ASSETS/
      )
    })
  )

  it.effect("says what would bring them of another version, and that a text is none", () =>
    Effect.gen(function* () {
      const home = yield* temporaryDirectory
      const start = (version: string) =>
        Effect.flip(
          Effect.scoped(ControlPlane.driver.start({ name: "old", users: ADMINS, version })).pipe(on({ HOME: home }))
        )
      const missing = yield* start("1.33")
      assert.strictEqual(missing.reason._tag, "DriverUnavailable")
      assert.match(
        missing.message,
        /etcd and kube-apiserver of Kubernetes 1\.33 not found; run `.*build 1\.33` \(needs Go 1\.26 or newer\)$/
      )
      const odd = yield* start("latest")
      assert.strictEqual(
        odd.message,
        "cluster old: latest is not a version of Kubernetes; use a release such as 1.33 or v1.33.2"
      )
    })
  )

  it.effect("shows the last lines of a server that ends at its start, and leaves nothing", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const program = (name: string, script: string) =>
        Effect.promise(async () => {
          await writeFile(join(directory, name), `#!/bin/sh\n${script}\n`)
          await chmod(join(directory, name), 0o755)
        })
      yield* program("etcd", "exec sleep 300")
      yield* program("kube-apiserver", "echo 'unknown flag: --surprise' >&2; exit 7")
      const error = yield* Effect.flip(
        Effect.scoped(alone).pipe(on({ KUBEBUILDER_ASSETS: directory, TMPDIR: directory }))
      )
      assert.strictEqual(
        error.message,
        "cluster alone: kube-apiserver ended with exit status 7; its last lines:\nunknown flag: --surprise"
      )
      assert.isEmpty(yield* keptIn(directory))
    })
  )
})

for (const driver of run.filter(({ name }) => name === ControlPlane.driver.name)) {
  describe(`the ${driver.name} driver`, () => {
    for (const version of cached) {
      it.effect(
        `runs Kubernetes ${version} where its programs are, by its minor release`,
        () =>
          Effect.gen(function* () {
            const minor = version.split(".").slice(0, 2).join(".").slice(1)
            const running = yield* ControlPlane.driver.start({ name: "old", users: ADMINS, version: minor })
            const [admin] = ADMINS
            const token = admin?.token ?? Redacted.make("")
            const api = yield* makeApi({ cluster: "old", server: running.server, caPem: running.caPem, token })
            const { text } = yield* api.request({ method: "GET", path: "/version" })
            assert.include(text, `"gitVersion": "${version}"`)
            const namespace = { apiVersion: "v1", kind: "Namespace", name: "came" }
            yield* api.create({ ...namespace, metadata: { name: "came" } })
            yield* running.reset
            const error = yield* Effect.flip(api.get(namespace))
            assert.strictEqual(error.reason._tag, "ApiRefused")
          }),
        LIMIT
      )
    }

    it.effect(
      "leaves no process and no directory behind",
      () =>
        Effect.gen(function* () {
          const directory = yield* temporaryDirectory
          const machine = yield* machineIn(directory)
          const pid = yield* Effect.scoped(Effect.flatMap(alone, pidOf)).pipe(on(machine))
          assert.isFalse(yield* runs(pid))
          assert.isEmpty(yield* keptIn(directory))
        }),
      LIMIT
    )

    it.effect(
      "ends its programs and removes their directory when its own process is killed",
      () =>
        Effect.gen(function* () {
          const directory = yield* temporaryDirectory
          const owner = spawn(
            process.execPath,
            ["--conditions=@quarterdeck/source", new URL("Owner.ts", import.meta.url).pathname],
            {
              stdio: ["ignore", "pipe", "inherit"],
              env: { ...compileCache, ...(yield* machineIn(directory)), PATH: "/usr/bin:/bin" }
            }
          )
          const printed = yield* Effect.promise(async () => {
            for await (const line of createInterface({ input: owner.stdout })) return line
            return "nothing"
          })
          const pid = Number(printed)
          assert.isTrue(yield* runs(pid))
          owner.kill("SIGKILL")
          yield* eventually("the server is gone", runs(pid), (is) => !is)
          yield* eventually("the directory is empty", keptIn(directory), (names) => names.length === 0)
        }),
      LIMIT
    )

    it.effect(
      "says that its port was taken while the cluster was down, and starts again once it is free",
      () =>
        Effect.gen(function* () {
          const { parent } = yield* alone
          yield* parent.kill
          yield* Effect.scoped(
            Effect.gen(function* () {
              yield* Effect.acquireRelease(
                Effect.promise(async () => {
                  const intruder = createServer().listen(Number(new URL(parent.server).port), "127.0.0.1")
                  await once(intruder, "listening")
                  return intruder
                }),
                (intruder) => Effect.sync(() => intruder.close())
              )
              const error = yield* Effect.flip(parent.restart)
              assert.strictEqual(error.reason._tag, "PortsTaken")
            })
          )
          yield* parent.restart
          yield* parent.api.get({ apiVersion: "v1", kind: "Namespace", name: "default" })
        }),
      LIMIT
    )
  })
}
