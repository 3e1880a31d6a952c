/**
 * Sees to it that a new deployment can be entered.
 */
import { Bootstrap } from "@quarterdeck/keys"
import { KeyConfig } from "@quarterdeck/keys/KeyConfig"
import { GroupRules } from "@quarterdeck/keys/Person"
import { isValid } from "@quarterdeck/keys/ApiKey"
import { KeyStore, type Position } from "@quarterdeck/keys/KeyStore"
import { DateTime, Effect, Layer } from "effect"
import type { Settings } from "../settings/Settings.ts"

/**
 * Writes the first key where the settings ask for it, and otherwise says how to get in when no key does: there is none,
 * or all are revoked or expired, and no group of people has a rule.
 *
 * **Errors** `BootstrapError`, `KeyStoreError`.
 */
export const layer = ({ bootstrapFile }: Pick<Settings["keys"], "bootstrapFile">) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      if (bootstrapFile !== undefined && (yield* Bootstrap.writeFirstKey(bootstrapFile))) return
      if ((yield* GroupRules).length > 0) return
      const config = yield* KeyConfig
      const { byId } = yield* config.current
      const { refused } = yield* config.health
      const store = yield* KeyStore
      const created = yield* store.count
      if (byId.size === 0 && created === 0 && refused.length > 0) {
        const named = refused.map(({ label }) => label)
        return yield* Effect.logError(
          `no key exists, so every request is refused: all entries of the keys files are refused: ${toldOf(named)}. Their faults are told above; mend them, and the files are read again by themselves`
        )
      }
      if (byId.size === 0 && created === 0) {
        return yield* Effect.logWarning(
          "no key exists, so every request is refused: start with --bootstrap-key-file FILE to have a first key written, or with --keys-file FILE"
        )
      }
      const now = yield* DateTime.now
      if ([...byId.values()].some((key) => isValid(key, now)) || (yield* isAnyValid(store, now))) return
      const none = refused.length === 0 ? "and none is configured" : "and all entries of the keys files are refused"
      const which = byId.size === 0 ? none : "the configured ones too"
      yield* Effect.logError(
        `no key is valid, so every request is refused: all that were created are revoked or expired, ${which}. To get in again, make a key with quarterdeck key generate, put its hash into a file of keys with the role Admin, and start with --keys-file FILE`
      )
    })
  )

/** How many entries are named in one line; each is named in a line of its own as well. */
const MAX_NAMED = 10

const toldOf = (labels: ReadonlyArray<string>): string => {
  const rest = labels.length - MAX_NAMED
  return `${labels.slice(0, MAX_NAMED).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`
}

/** How many records are read at a time. */
const SCAN = 500

/** Looks for a created key that authenticates. **Limits** reads the keys up to the first one, at worst all of them. */
const isAnyValid = Effect.fnUntraced(function* (store: KeyStore["Service"], now: DateTime.Utc) {
  let after: Position | undefined
  while (true) {
    const page = yield* store.list({ limit: SCAN, ...(after === undefined ? {} : { after }) })
    if (page.some((key) => isValid(key, now))) return true
    after = page.at(-1)
    if (page.length < SCAN) return false
  }
})
