import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect } from "effect"
import { available } from "../../../src/drivers/k3s/Availability.ts"

const on = (settings: Record<string, string>) =>
  Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(settings))

describe("the k3s driver without Docker", () => {
  it.effect("is missing, and says where it looked and what would help", () =>
    Effect.gen(function* () {
      const found = yield* available().pipe(on({ DOCKER_HOST: "unix:///nowhere/docker.sock" }))
      assert.strictEqual(found._tag, "Missing")
      assert.match(
        found._tag === "Missing" ? found.remedy : "",
        /^no Docker engine answers at unix:\/\/\/nowhere\/docker\.sock \(.*ENOENT.*\); start Docker, or set DOCKER_HOST/
      )
    })
  )
})
