/** Checks a store against the laws of the port. */
import { it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type { KeyStoreError } from "../../src/KeyError.ts"
import type { KeyStore } from "../../src/KeyStore.ts"
import { laws } from "../../src/KeyStoreLaws.ts"

/** **Shape** each law gets a store of its own. */
export const keepsKeys = (store: Layer.Layer<KeyStore, KeyStoreError>): void => {
  for (const { check, name } of laws) it.effect(name, () => Effect.provide(check, store))
}
