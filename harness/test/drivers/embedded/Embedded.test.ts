/**
 * The driver, and what only real programs can tell of it: kubectl where it is found, and a real control plane where that
 * is among the drivers of the run, asked the same: objects are compared word for word, refusals without their sentences.
 */
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Option, Redacted } from "effect"
import { generate, present } from "../../../scripts/SchemaFile.ts"
import { find } from "../../../src/drivers/control-plane/assets/Programs.ts"
import * as Drivers from "../../../src/drivers/Drivers.ts"
import { driver } from "../../../src/drivers/embedded/Embedded.ts"
import { ADMIN, connect, USERS } from "./Client.ts"
import { kubectl } from "./Kubectl.ts"
import { kubectlKinds } from "./KubectlKinds.ts"
import { comesToTheSame } from "./controllers/Same.ts"
import { access } from "./same/Access.ts"
import { applies } from "./same/Applies.ts"
import { blanks } from "./same/Blanks.ts"
import { deletions } from "./same/Deletions.ts"
import { merges } from "./same/Merges.ts"
import { definitions } from "./same/Definitions.ts"
import { documents } from "./same/Documents.ts"
import { grants } from "./same/Grants.ts"
import { kinds } from "./same/Kinds.ts"
import { layerPair, Pair } from "./same/Pair.ts"
import { patches } from "./same/Patches.ts"
import { reads } from "./same/Reads.ts"
import { refusals } from "./same/Refusals.ts"
import { types } from "./same/Types.ts"
import { writes } from "./same/Writes.ts"

const { run } = await Effect.runPromise(Drivers.selected)
const program = await Effect.runPromise(find("kubectl"))

describe("the embedded driver", () => {
  it.effect("is found on every machine", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* driver.available)._tag, "Found")
    })
  )

  it.effect("starts several clusters at once, each with its own objects and certificate, also under a test clock", () =>
    Effect.gen(function* () {
      const start = (name: string) => driver.start({ name, users: USERS })
      const { eu, hub, us } = yield* Effect.all(
        { hub: start("hub"), eu: start("eu"), us: start("us") },
        { concurrency: 3 }
      )
      for (const part of ["server", "caPem"] as const) {
        assert.strictEqual(new Set([hub[part], eu[part], us[part]]).size, 3)
      }
      const [atHub, atEu] = yield* Effect.all([connect(hub), connect(eu)])
      yield* atHub.call("POST", "/api/v1/namespaces", { body: { metadata: { name: "shop" } } })
      assert.strictEqual((yield* atHub.call("GET", "/api/v1/namespaces/shop")).status, 200)
      assert.strictEqual((yield* atEu.call("GET", "/api/v1/namespaces/shop")).status, 404)
    })
  )
})

for (const { path } of Option.toArray(program)) {
  describe("kubectl on an embedded cluster", () => {
    kubectl(path)
    kubectlKinds(path)
  })
}

for (const real of run.filter(({ name }) => name === "control-plane")) {
  layer(layerPair(real), { timeout: "2 minutes" })("an embedded cluster answers like the real one", (it) => {
    it.effect("by schemas that are checked in and are those of the real server", () =>
      Effect.gen(function* () {
        const { realCluster } = yield* Pair
        assert.strictEqual(yield* present, yield* generate(realCluster, Redacted.make(ADMIN)))
      })
    )
    writes(it)
    patches(it)
    types(it)
    merges(it)
    deletions(it)
    blanks(it)
    applies(it)
    refusals(it)
    reads(it)
    kinds(it)
    definitions(it)
    access(it)
    grants(it)
    documents(it)
  })

  comesToTheSame(real)
}
