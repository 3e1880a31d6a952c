/**
 * The objects of a control plane as a saved cluster, and back.
 *
 * What is saved are the store's keys and values as of one revision, taken while the cluster runs: a copy of etcd's own
 * files would be 64 MB and would ask the cluster to stop.
 */
import { Effect, Option, Schema } from "effect"
import { InvalidFleet, type MachineRefused } from "../../machine/HarnessError.ts"
import * as SavedCluster from "../../state/SavedCluster.ts"
import type { ServiceAccountKeys } from "./ControlPlaneFiles.ts"
import type { Etcd, Operation } from "./EtcdClient.ts"
import { PREFIX, treatmentOf } from "./EtcdKeys.ts"

/** A control plane that is not running yet. */
export interface Saved {
  readonly kubernetes: string
  readonly keys: ServiceAccountKeys
  /** Who has signed the tokens of service accounts that are out, the oldest last. */
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

/** Saves what the store holds; events and what belongs to the server that runs stay behind. */
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

/** Reads what {@link write} wrote. **Errors** those of {@link SavedCluster.read}, and `InvalidFleet` for a broken line. */
export const read = Effect.fnUntraced(function* (
  directory: string,
  driver: string
): Effect.fn.Return<Saved, InvalidFleet | MachineRefused> {
  const { kubernetes, extra, objects } = yield* SavedCluster.read(directory, driver)
  const decoded = decodeExtra(extra)
  if (Option.isNone(decoded))
    return yield* SavedCluster.unusable(directory, "the keys of its service accounts are gone")
  const entries: Array<Operation> = []
  for (const [index, line] of objects.entries()) {
    const entry = decodeEntry(line)
    if (Option.isNone(entry)) return yield* SavedCluster.unusable(directory, `line ${index + 2} of its file is broken`)
    entries.push(entry.value)
  }
  const { issuers, ...keys } = decoded.value.serviceAccounts
  return { kubernetes, keys, issuers, entries }
})
