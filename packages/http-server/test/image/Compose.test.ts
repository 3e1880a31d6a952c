import { assert, describe, it } from "@effect/vitest"
import { Drivers, eventually, Fleet, Seed } from "@quarterdeck/harness"
import { K3s } from "@quarterdeck/harness/k3s"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { rename } from "node:fs/promises"
import { join } from "node:path"
import * as Compose from "./Compose.ts"
import * as Image from "./Image.ts"
import * as Mounted from "./Mounted.ts"
import * as Service from "./Service.ts"

const KEY = "compose-admin-0123456789"
const LATER = "compose-later-0123456789"
const { run } = await Effect.runPromise(Drivers.selected)

const volume = Effect.acquireRelease(
  Effect.map(Image.docker("volume", "create", `quarterdeck-test-${randomUUID()}`), ({ stdout }) => stdout.trim()),
  (name) => Effect.orDie(Image.docker("volume", "rm", name))
)

describe("examples/standalone", () => {
  it.effect("asks for as little as the image needs", () =>
    Effect.gen(function* () {
      const { service, volumes } = yield* Compose.read
      assert.strictEqual(service.image, `\${QUARTERDECK_IMAGE:-${Image.NAME}}`)
      const options = Compose.optionsOf(service, { data: "data" })
      assert.includeMembers(options, [
        "--read-only",
        "--cap-drop=ALL",
        "--security-opt=no-new-privileges:true",
        "--publish=127.0.0.1::8080",
        "--volume=data:/data"
      ])
      assert.deepStrictEqual(volumes, ["data"])
    })
  )

  Image.sayIfLeftOut(it)
  if (!Image.runs) return

  // The clusters are containers, since that is what a container reaches without the machine's own network.
  it.live.each(run.filter(({ name }) => name === "k3s"))(
    "serves, follows its secrets, and keeps its data in the volume, on $name",
    (driver) =>
      Effect.gen(function* () {
        const fleet = yield* Fleet.make({ driver, parent: "hub" })
        yield* Seed.fill(fleet)
        const secrets = yield* Mounted.directory
        yield* Mounted.file(secrets, "kubeconfig.yaml", yield* K3s.aliasedKubeconfig(fleet.clusters))
        yield* Mounted.file(secrets, "keys.yaml", Mounted.keysOf(KEY))
        const { service: described } = yield* Compose.read
        const options = [
          ...Compose.optionsOf(described, { "./secrets": secrets, data: yield* volume }),
          `--network=${yield* Image.networkOf(fleet.parent)}`
        ]
        const started = Effect.gen(function* () {
          const container = yield* Image.start(options, described.command)
          const url = yield* container.published
          yield* Service.at(url, KEY).ready
          return { container, url }
        })

        const created = yield* Effect.gen(function* () {
          const { container, url } = yield* started
          const [, ...healthy] = described.healthcheck.test
          yield* Image.docker("exec", container.id, ...healthy)
          const service = Service.at(url, KEY)
          const { workloads } = yield* service.workloads("hub")
          assert.isAbove(workloads.length, 10)

          const next = yield* Mounted.file(secrets, "keys.next", Mounted.keysOf(LATER))
          yield* Effect.promise(() => rename(next, join(secrets, "keys.yaml")))
          const later = Service.at(url, LATER)
          yield* eventually("the other key is let in", later.ask("/api/v1/whoami"), () => true)
          const key = yield* later.createKey("kept")
          assert.strictEqual((yield* container.stop).status, 0)
          return key
        }).pipe(Effect.scoped)

        const { url } = yield* started
        assert.include(yield* Service.at(url, created).ask("/api/v1/whoami"), '"name":"kept"')
      }).pipe(Effect.scoped)
  )
})
