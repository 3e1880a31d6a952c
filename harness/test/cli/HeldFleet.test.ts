/** The files of held fleets while holders come, die and are swept at the same time. */
import { assert, describe, it } from "@effect/vitest"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { ConfigProvider, Effect, Option } from "effect"
import { argumentsOf } from "../../src/cli/Detach.ts"
import { terminate } from "../../src/cli/DownCommand.ts"
import * as HeldFleet from "../../src/cli/HeldFleet.ts"
import * as LockFile from "../../src/machine/LockFile.ts"
import * as Owner from "../../src/machine/Owner.ts"
import { temporaryDirectory } from "../machine/Fixture.ts"

const ROUNDS = 40

/** A process of this machine that has the number of this one, but began at another time: it is dead. */
const dead = Effect.promise(async () => Owner.print({ ...(await Owner.self()), start: "0" }))
const self = Effect.promise(async () => Owner.print(await Owner.self()))

/** Gives the directory of held fleets to a test of its own. */
const inHome = <A, E, R>(test: (files: string) => Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const home = yield* temporaryDirectory
    const files = join(home, "quarterdeck", "fleets")
    yield* Effect.promise(() => mkdir(files, { recursive: true }))
    const settings = ConfigProvider.layer(ConfigProvider.fromUnknown({ XDG_STATE_HOME: home }))
    return yield* test(files).pipe(Effect.provide(settings))
  })

describe("HeldFleet", () => {
  it.effect("whoever takes a dead holder's name keeps it while others sweep", () =>
    inHome((files) =>
      Effect.gen(function* () {
        for (let round = 0; round < ROUNDS; round += 1) {
          yield* Effect.promise(async () => writeFile(join(files, "demo.json"), ""))
          const lock = join(files, "demo.lock")
          const gone = yield* dead
          yield* Effect.promise(() => writeFile(lock, gone))
          yield* Effect.scoped(
            Effect.gen(function* () {
              const [, claimed] = yield* Effect.all(
                [HeldFleet.sweep, HeldFleet.claim("demo"), HeldFleet.sweep, HeldFleet.sweep],
                { concurrency: "unbounded" }
              )
              assert.isTrue(Option.isSome(claimed))
              assert.strictEqual(yield* Effect.promise(() => readFile(lock, "utf8")), yield* self)
            })
          )
          assert.deepStrictEqual(yield* Effect.promise(() => readdir(files)), [])
        }
      })
    )
  )

  it.effect("a sweep removes logs without a lock and drafts of dead processes, and nothing of the living", () =>
    inHome((files) =>
      Effect.gen(function* () {
        const gone = yield* dead
        const here = yield* self
        const left = ["a.log", `b.log.${gone}`, `b.lock.1.${gone}`, `b.json.${gone}`]
        const kept = [`c.log.${here}`, "d.lock", "d.log", "note"]
        for (const name of [...left, ...kept]) {
          yield* Effect.promise(() => writeFile(join(files, name), name === "d.lock" ? here : ""))
        }
        assert.deepStrictEqual(yield* HeldFleet.sweep, ["a"])
        assert.deepStrictEqual((yield* Effect.promise(() => readdir(files))).toSorted(), kept.toSorted())
      })
    )
  )

  it("a holder that has ended needs not be told to stop", async () => {
    const child = spawn(process.execPath, ["--eval", ""])
    await once(child, "exit")
    assert.isDefined(child.pid)
    terminate(child.pid ?? 0)
  })

  it("the holder in the background gets every option, and holds", () => {
    const options = {
      driver: "k3s",
      parent: "a",
      children: ["-b", "c"],
      seed: "small",
      faults: true,
      controllers: false,
      kubelet: true,
      usage: true,
      name: "demo",
      kubeconfig: "/my file"
    } as const
    assert.deepStrictEqual(argumentsOf(options), [
      "up",
      "--detach=false",
      "--driver=k3s",
      "--clusters=a,-b,c",
      "--seed=small",
      "--faults=true",
      "--controllers=false",
      "--kubelet=true",
      "--usage=true",
      "--name=demo",
      "--kubeconfig=/my file"
    ])
  })
})

describe("LockFile", () => {
  it.effect("of many that take a dead owner's lock at once, one has it, and the others are told who", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const lock = join(directory, "lock")
      const gone = yield* dead
      for (let round = 0; round < ROUNDS; round += 1) {
        yield* Effect.promise(async () => {
          await writeFile(lock, gone)
          const holders = await Promise.all(Array.from({ length: 8 }, () => LockFile.take(lock)))
          assert.strictEqual(holders.filter((holder) => holder === undefined).length, 1)
          for (const holder of holders) if (holder !== undefined) assert.strictEqual(holder.pid, process.pid)
          assert.deepStrictEqual(await LockFile.ownerOf(lock), await Owner.self())
          assert.deepStrictEqual(await readdir(directory), ["lock"])
          await LockFile.release(lock)
        })
      }
    })
  )
})
