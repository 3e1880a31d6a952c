/** The driver `k3s` for those who may never ask for it: it is loaded when they do. */
import { Effect } from "effect"
import type { ClusterDriver } from "../ClusterDriver.ts"
import { NAME } from "./Availability.ts"

const loaded: Effect.Effect<ClusterDriver> = Effect.map(
  Effect.promise(() => import("./K3s.ts")),
  ({ driver }) => driver
)

export const driver: ClusterDriver = {
  name: NAME,
  available: Effect.flatMap(loaded, ({ available }) => available),
  start: (options) => Effect.flatMap(loaded, (driver) => driver.start(options))
}
