import { NodeServices } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { Embedded, Fleet } from "@quarterdeck/harness"
import { Effect, FileSystem, Path } from "effect"
import { keep } from "../e2e/costHistory.ts"
import { quarterdeck, start } from "./program.ts"

const LIMIT = { timeout: 120_000 }
const LISTENING = /listening on (\S+)/

layer(NodeServices.layer, { excludeTestServices: true })("a data directory that a server has", (it) => {
  const place = Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const { join } = yield* Path.Path
    const home = yield* files.makeTempDirectoryScoped({ prefix: "quarterdeck-directory-" })
    const data = join(home, "data")
    yield* keep(["hub"])(data)
    const { kubeconfig } = yield* Fleet.make({ driver: Embedded.driver, parent: "hub" })
    yield* files.writeFileString(join(home, "kubeconfig.yaml"), kubeconfig)
    return { data, files, flags: ["--port", "0", "--kubeconfig", join(home, "kubeconfig.yaml"), "--data", data] }
  })

  it.effect(
    "is refused to commands with its process id, and goes to a server that waits once the first is killed",
    () =>
      Effect.gen(function* () {
        const { data, files, flags } = yield* place
        const first = yield* start(flags)
        yield* first.says(LISTENING)
        const commands = [["check"], ["repair"], ["export"], ["import", "-"]]
        yield* Effect.forEach(
          commands,
          (command) =>
            Effect.map(quarterdeck(["cost", ...command, "--data", data]), ({ status, stderr, stdout }) => {
              assert.match(
                stderr,
                new RegExp(
                  `^quarterdeck: dataDirectory: ${data} is in use by process ${first.pid} on \\S+, since \\S+Z: stop it first, or name another directory\n$`
                ),
                command.join(" ")
              )
              assert.deepStrictEqual([stdout, status], ["", 1])
            }),
          { concurrency: 2 }
        )

        const second = yield* start(flags)
        yield* second.says(
          new RegExp(`waiting up to 30s for the data directory \\S+, which is in use by process ${first.pid} on `)
        )
        yield* first.kill
        yield* second.says(LISTENING)
        const left = yield* second.stop
        assert.strictEqual(left.status, 0)
        assert.include(yield* files.readDirectory(data), "holder.lock")
        assert.notInclude(yield* files.readDirectory(data), "holder.json")

        const checked = yield* quarterdeck(["cost", "check", "--data", data])
        assert.strictEqual(checked.status, 0, checked.stderr)
      }),
    LIMIT
  )
})
