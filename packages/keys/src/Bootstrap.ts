/**
 * The first key of a new deployment.
 */
import { Effect, Redacted } from "effect"
import { randomUUID } from "node:crypto"
import { link, open, rm } from "node:fs/promises"
import { dirname } from "node:path"
import { codeOf } from "./FileText.ts"
import { newKey } from "./NewKey.ts"
import { KeyConfig } from "./KeyConfig.ts"
import { BootstrapError, type KeyStoreError } from "./KeyError.ts"
import { KeyStore } from "./KeyStore.ts"
import type { RawKey } from "./RawKey.ts"

const NAME = "bootstrap"

/**
 * Makes an unscoped Admin key when no key exists, and writes it to a file.
 *
 * **Shape** no key exists: none was ever created, not even one revoked since, and none is configured. The file holds
 * the key and a line end, has mode 0600, appears complete or not at all, and is never written over. It is written
 * before the key is stored, and taken away again if that is refused: no key works that nobody holds.
 * Answers whether a key was made. The path is logged, the key never.
 *
 * **Errors** `BootstrapError`, above all where the file exists; `KeyStoreError`.
 */
export const writeFirstKey = Effect.fn("Bootstrap.writeFirstKey")(function* (
  path: string
): Effect.fn.Return<boolean, BootstrapError | KeyStoreError, KeyConfig | KeyStore> {
  const store = yield* KeyStore
  const { byId } = yield* (yield* KeyConfig).current
  if (byId.size > 0 || (yield* store.count) > 0) return false
  const { key, record } = yield* newKey({ name: NAME, rule: { role: "Admin" } })
  yield* Effect.uninterruptible(
    Effect.andThen(
      writeSecret(path, key),
      Effect.tapError(store.insert(record), ({ reason }) =>
        // Without an answer the key may be stored: then the file is the only way in.
        reason._tag === "StoreTimedOut" ? Effect.void : Effect.promise(() => rm(path, { force: true }))
      )
    )
  )
  yield* Effect.logInfo(`no key existed: a first key ${record.id}, Admin of everything, was written to ${path}`)
  return true
})

const writeSecret = (path: string, key: RawKey): Effect.Effect<void, BootstrapError> =>
  Effect.tryPromise({
    try: () => writeExclusively(path, `${Redacted.value(key)}\n`),
    catch: (cause) => {
      const code = codeOf(cause)
      const problem =
        code === "EEXIST"
          ? "exists already, and no key does: remove it to have a new one written"
          : `cannot be written (${code})`
      return new BootstrapError({ path, problem })
    }
  })

/** A link gives a finished file its name in one step, and fails where the name is taken. */
const writeExclusively = async (path: string, content: string): Promise<void> => {
  const unfinished = `${path}.${randomUUID()}`
  try {
    const file = await open(unfinished, "wx", 0o600)
    try {
      await file.writeFile(content)
      await file.sync()
    } finally {
      await file.close()
    }
    await link(unfinished, path)
  } finally {
    await rm(unfinished, { force: true })
  }
  const directory = await open(dirname(path), "r")
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}
