/**
 * The driver `k3s` for those who may not have its packages: they are loaded when a cluster is to be started.
 *
 * @since 0.1.0
 */
import { Effect, Result } from "effect"
import { type ClusterDriver, missing } from "../ClusterDriver.ts"
import { DriverUnavailable, HarnessError } from "../HarnessError.ts"
import * as Availability from "./Availability.ts"

/** Loads the driver, or says what would bring its packages. */
const loaded: Effect.Effect<ClusterDriver, string> = Effect.tryPromise({
  try: () => import("../drivers/K3s.ts"),
  catch: (cause) =>
    "install its packages by `npm install --save-dev testcontainers @testcontainers/k3s`"
    + ` (${cause instanceof Error ? (cause.message.split("\n")[0] ?? "") : String(cause)})`
}).pipe(Effect.map(({ driver }) => driver))

export const driver: ClusterDriver = {
  name: Availability.NAME,
  // Docker first: on a machine without it nothing needs to be loaded.
  available: Effect.gen(function* () {
    const machine = yield* Availability.available()
    if (machine._tag === "Missing") return machine
    const packages = yield* Effect.result(loaded)
    return Result.isFailure(packages) ? missing(packages.failure) : machine
  }),
  start: (options) =>
    Effect.mapError(
      loaded,
      (remedy) =>
        new HarnessError({
          cluster: options.name,
          reason: new DriverUnavailable({ driver: Availability.NAME, remedy })
        })
    ).pipe(Effect.flatMap((driver) => driver.start(options)))
}
