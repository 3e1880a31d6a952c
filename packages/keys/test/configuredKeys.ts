/** Deploy-time keys for tests, without a file. */
import { Effect, Layer } from "effect"
import { KeyConfig, type LoadedKey } from "../src/KeyConfig.ts"
import type { KeyHash } from "../src/KeyHash.ts"
import { at, viewer } from "./samples.ts"

export const loaded = (fields: Partial<LoadedKey> & Pick<LoadedKey, "id" | "hash">): LoadedKey => ({
  file: 0,
  index: 0,
  line: 1,
  label: `entry "${fields.id}" (line 1)`,
  name: fields.id,
  rule: viewer,
  loadedAt: at("2026-01-01T00:00:00Z"),
  ...fields
})

/** Keys in force, and removed keys. */
export const layerConfigured = (
  keys: ReadonlyArray<LoadedKey>,
  removed: ReadonlyArray<KeyHash> = []
): Layer.Layer<KeyConfig> =>
  Layer.succeed(KeyConfig, {
    current: Effect.succeed({
      byHash: new Map(keys.map((key) => [key.hash, key])),
      byId: new Map(keys.map((key) => [key.id, key])),
      removed: new Map(removed.map((hash) => [hash, { id: "cfg_gone", name: "gone" }]))
    }),
    health: Effect.succeed({ refused: [] })
  })
