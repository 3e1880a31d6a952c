/**
 * Generates a key: the secret for its owner, and the record to store.
 */
import { DateTime, Effect } from "effect"
import { randomBytes } from "node:crypto"
import * as KeyHash from "./KeyHash.ts"
import type { KeyRecord } from "./KeyStore.ts"
import * as RawKey from "./RawKey.ts"
import * as Base62 from "./Base62.ts"

/** Number of base 62 characters of an id. 22 characters have 131 bits, so ids are unique in practice. */
const ID_LENGTH = 22

export const newKey = (
  facts: Omit<KeyRecord, "id" | "hash" | "start" | "createdAt">
): Effect.Effect<{ readonly key: RawKey.RawKey; readonly record: KeyRecord }> =>
  Effect.map(DateTime.now, (createdAt) => {
    const key = RawKey.generate(randomBytes)
    const id = `key_${Base62.draw(ID_LENGTH, randomBytes)}`
    return { key, record: { id, hash: KeyHash.fromRawKey(key), start: RawKey.startOf(key), createdAt, ...facts } }
  })
