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
 * Creates an unscoped Admin key and writes it to a file, if no key exists. Returns whether it created a key.
 *
 * **Shape** a revoked or expired key counts as existing. The file contains the key and a line end and has mode 0600. It
 * appears complete or not at all, and never replaces an existing file. It is written before the key is stored, and removed
 * if the store refuses the key, so a key never becomes valid without a file. The log names the path, never the key.
 *
 * **Errors** `BootstrapError`, for example when the file exists; `KeyStoreError`.
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
        // After a timeout the key may be stored. The file is then the only copy of the key.
        reason._tag === "StoreTimedOut" ? Effect.void : Effect.promise(() => rm(path, { force: true }))
      )
    )
  )
  yield* Effect.logInfo(`no key existed; wrote the first key ${record.id}, an Admin without a scope, to ${path}`)
  return true
})

const writeSecret = (path: string, key: RawKey): Effect.Effect<void, BootstrapError> =>
  Effect.tryPromise({
    try: () => writeExclusively(path, `${Redacted.value(key)}\n`),
    catch: (cause) => {
      const code = codeOf(cause)
      const problem =
        code === "EEXIST"
          ? "exists already, although no key does; remove it to get a new key"
          : `cannot be written (${code})`
      return new BootstrapError({ path, problem })
    }
  })

/** Writes a temporary file and links it to its path. The link is atomic, and fails if the path exists. */
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
