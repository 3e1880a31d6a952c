/**
 * Converts created and configured keys to the API's view of a key, without the hash.
 */
import type { DateTime } from "effect"
import { type ApiKey, statusAt } from "./ApiKey.ts"
import type { LoadedKey } from "./KeyConfig.ts"
import type { KeyRecord } from "./KeyStore.ts"

export const ofCreated = (record: KeyRecord, now: DateTime.Utc): ApiKey => {
  const { hash: _hash, line: _line, maker: _maker, rotatedAt: _rotatedAt, ...seen } = record
  return { ...seen, status: statusAt(record, now), source: "created" }
}

export const ofConfigured = (key: LoadedKey, now: DateTime.Utc): ApiKey => {
  const { hash: _hash, index: _index, loadedAt, ...seen } = key
  return { ...seen, status: statusAt(key, now), source: "configured", createdAt: loadedAt }
}
