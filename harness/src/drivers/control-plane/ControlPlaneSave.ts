/**
 * Saves the objects of a control plane, and reads them back.
 *
 * It saves the store's keys and values at one revision while the cluster runs. A copy of etcd's own files would take 64
 * MB and require a stop of the cluster.
 */
import { Effect, Option, Schema } from "effect"
import { InvalidFleet, type MachineRefused } from "../../machine/HarnessError.ts"
import * as SavedCluster from "../../state/SavedCluster.ts"
import type { ServiceAccountKeys } from "./ControlPlaneFiles.ts"
import type { Etcd, Operation } from "./EtcdClient.ts"
import { PREFIX, treatmentOf } from "./EtcdKeys.ts"

/** The content of a saved control plane. */
export interface Saved {
  readonly kubernetes: string
  readonly keys: ServiceAccountKeys
  /** Issuers of valid service account tokens, the oldest last. */
  readonly issuers: ReadonlyArray<string>
  readonly entries: ReadonlyArray<Operation>
}

const Extra = Schema.Struct({
  serviceAccounts: Schema.Struct({
    privateKey: Schema.String,
    publicKey: Schema.String,
    issuers: Schema.Array(Schema.String)
  })
})
const decodeExtra = Schema.decodeUnknownOption(Extra)
const Entry = Schema.fromJsonString(Schema.Struct({ key: Schema.NonEmptyString, value: Schema.String }))
const decodeEntry = Schema.decodeUnknownOption(Entry)

/** Saves the store's objects. Leaves out events, and the leases by which the running API server announces itself. */
export const write = Effect.fnUntraced(function* (
  directory: string,
  driver: string,
  etcd: Etcd,
  saved: Omit<Saved, "entries">
): Effect.fn.Return<void, MachineRefused> {
  const { entries } = yield* etcd.read(PREFIX)
  const lasting = entries.filter(({ key }) => !["passing", "server"].includes(treatmentOf(key)))
  yield* SavedCluster.write(directory, {
    driver,
    kubernetes: saved.kubernetes,
    extra: {
      serviceAccounts: {
        privateKey: saved.keys.privateKey,
        publicKey: saved.keys.publicKey,
        issuers: saved.issuers
      }
    },
    objects: lasting.map(({ key, value }) => JSON.stringify({ key, value }))
  })
})

/**
 * Reads a cluster saved by {@link write}. **Errors** those of {@link SavedCluster.read}, and `InvalidFleet` for an
 * invalid line.
 */
export const read = Effect.fnUntraced(function* (
  directory: string,
  driver: string
): Effect.fn.Return<Saved, InvalidFleet | MachineRefused> {
  const { kubernetes, extra, objects } = yield* SavedCluster.read(directory, driver)
  const decoded = decodeExtra(extra)
  if (Option.isNone(decoded))
    return yield* SavedCluster.unusable(directory, "the keys of its service accounts are missing")
  const entries: Array<Operation> = []
  for (const [index, line] of objects.entries()) {
    const entry = decodeEntry(line)
    if (Option.isNone(entry)) return yield* SavedCluster.unusable(directory, `line ${index + 2} of its file is broken`)
    entries.push(entry.value)
  }
  const { issuers, ...keys } = decoded.value.serviceAccounts
  return { kubernetes, keys, issuers, entries }
})
