/**
 * Sees to it that a new deployment can be entered.
 *
 * @since 0.1.0
 */
import { writeFirstKey } from "@quarterdeck/keys/Bootstrap"
import { KeyConfig } from "@quarterdeck/keys/KeyConfig"
import { KeyStore } from "@quarterdeck/keys/KeyStore"
import { Effect, Layer } from "effect"
import type { Settings } from "../settings/Settings.ts"

/**
 * Writes the first key where the settings ask for it, and otherwise says how to make one when there is none.
 *
 * **Errors** `BootstrapError`, `KeyStoreError`.
 *
 * @since 0.1.0
 */
export const layer = ({ bootstrapFile }: Settings["keys"]) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      if (bootstrapFile !== undefined) return yield* writeFirstKey(bootstrapFile)
      const { byId } = yield* (yield* KeyConfig).current
      if (byId.size > 0 || (yield* (yield* KeyStore).count) > 0) return
      yield* Effect.logWarning(
        "no key exists, so every request is refused: start with --bootstrap-key-file FILE to have a first key written, or with --keys-file FILE"
      )
    })
  )
