import { describe, it } from "@effect/vitest"
import { KeyStoreLaws } from "@quarterdeck/keys"
import { KeyStore } from "@quarterdeck/keys/KeyStore"
import { Effect } from "effect"
import { DatabaseSync } from "node:sqlite"
import * as PlatformKeys from "../src/PlatformKeys.ts"

describe("the platform's store of keys", () => {
  for (const { check, name } of KeyStoreLaws.laws) {
    it.effect(name, () => Effect.provideService(check, KeyStore, PlatformKeys.make(new DatabaseSync(":memory:"))))
  }
})
