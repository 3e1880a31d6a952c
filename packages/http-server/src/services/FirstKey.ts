/**
 * Makes sure that an operator can sign in to a new deployment.
 */
import { Bootstrap } from "@quarterdeck/keys"
import { KeyConfig } from "@quarterdeck/keys/KeyConfig"
import { GroupRules } from "@quarterdeck/keys/Person"
import { isValid } from "@quarterdeck/keys/ApiKey"
import { KeyStore, type Position } from "@quarterdeck/keys/KeyStore"
import { DateTime, Effect, Layer } from "effect"
import type { Settings } from "../settings/Settings.ts"

/**
 * Writes the first key if the settings ask for it. Otherwise, if no key is valid and no group of people has a rule, logs
 * how to get access.
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
          `no key exists, so every request is refused: all entries of the keys files are invalid: ${toldOf(named)}. Earlier log lines name their faults. Correct the files; the server reloads them by itself`
        )
      }
      if (byId.size === 0 && created === 0) {
        return yield* Effect.logWarning(
          "no key exists, so every request is refused: start with --bootstrap-key-file FILE to write a first key, or with --keys-file FILE"
        )
      }
      const now = yield* DateTime.now
      if ([...byId.values()].some((key) => isValid(key, now)) || (yield* isAnyValid(store, now))) return
      const none = refused.length === 0 ? "and none is configured" : "and all entries of the keys files are invalid"
      const which = byId.size === 0 ? none : "and so are all configured keys"
      yield* Effect.logError(
        `no key is valid, so every request is refused: all created keys are revoked or expired, ${which}. To regain access, make a key with quarterdeck key generate, put its hash into a keys file with the role Admin, and start with --keys-file FILE`
      )
    })
  )

/** Maximum invalid entries of keys files that one log line names. Each entry also has its own line. */
const MAX_NAMED = 10

const toldOf = (labels: ReadonlyArray<string>): string => {
  const rest = labels.length - MAX_NAMED
  return `${labels.slice(0, MAX_NAMED).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`
}

/** Page size. */
const SCAN = 500

/** Returns true if any created key is valid. **Limits** reads keys up to the first valid one, at worst all. */
const isAnyValid = Effect.fnUntraced(function* (store: KeyStore["Service"], now: DateTime.Utc) {
  let after: Position | undefined
  while (true) {
    const page = yield* store.list({ limit: SCAN, ...(after === undefined ? {} : { after }) })
    if (page.some((key) => isValid(key, now))) return true
    after = page.at(-1)
    if (page.length < SCAN) return false
  }
})
