/** Makes an etcd forget the past. */
import { Effect } from "effect"
import type { MachineRefused } from "../../machine/HarnessError.ts"
import * as EtcdClient from "./EtcdClient.ts"

/** Compacts everything before the newest revision, on disk too. */
export const compact = (socketPath: string): Effect.Effect<void, MachineRefused> =>
  Effect.scoped(Effect.flatMap(EtcdClient.connect(socketPath), (etcd) => etcd.compact))
