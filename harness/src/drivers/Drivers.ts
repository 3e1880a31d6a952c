/** Selects the drivers of a test run. */
import { Effect } from "effect"
import type { ClusterDriver } from "./ClusterDriver.ts"
import * as ControlPlane from "./control-plane/ControlPlane.ts"
import * as Embedded from "./embedded/Embedded.ts"
import { HarnessError, InvalidFleet } from "../machine/HarnessError.ts"
import { setting } from "../machine/Machine.ts"
import { NAME as K3S } from "./k3s/Availability.ts"

const loadK3s: Effect.Effect<ClusterDriver> = Effect.map(
  Effect.promise(() => import("./k3s/K3s.ts")),
  ({ driver }) => driver
)

/** The driver `k3s`, imported on first use. */
const k3sDriver: ClusterDriver = {
  name: K3S,
  available: Effect.flatMap(loadK3s, ({ available }) => available),
  start: (options) => Effect.flatMap(loadK3s, (driver) => driver.start(options))
}

/** Every driver of this package, the fastest first. */
export const all: ReadonlyArray<ClusterDriver> = [Embedded.driver, ControlPlane.driver, k3sDriver]

export interface Selection {
  /**
   * Drivers to run. A driver that was requested by name is included even if it is unavailable; its start then fails
   * with the reason.
   */
  readonly run: ReadonlyArray<ClusterDriver>
  /** Drivers that were not requested by name and are unavailable here. */
  readonly leftOut: ReadonlyArray<LeftOut>
}

export interface LeftOut {
  readonly driver: string
  /** One sentence that says how to make the driver available. */
  readonly remedy: string
}

const VARIABLE = "QUARTERDECK_DRIVERS"

/**
 * Selects drivers from a list of names, or by their availability on this machine.
 *
 * **Shape** `list` is comma-separated. Undefined or blank selects every available driver.
 *
 * **Errors** `InvalidFleet` for an unknown name, so that a typo does not disable tests.
 *
 * **Example**
 *
 * ```ts
 * const { run } = await Effect.runPromise(Drivers.selected)
 * describe.each(run)("on $name", (driver) => { ... })
 * ```
 */
export const select = Effect.fnUntraced(function* (
  list: string | undefined,
  drivers: ReadonlyArray<ClusterDriver> = all
): Effect.fn.Return<Selection, HarnessError> {
  const names = (list ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "")
  if (names.length > 0) {
    const unknown = names.find((name) => drivers.every((driver) => driver.name !== name))
    if (unknown !== undefined) {
      const known = drivers.map(({ name }) => name).join(", ")
      const problem = `${VARIABLE} names the unknown driver ${unknown}; drivers: ${known}`
      return yield* new HarnessError({ reason: new InvalidFleet({ problem }) })
    }
    return { run: drivers.filter(({ name }) => names.includes(name)), leftOut: [] }
  }
  const availabilities = yield* Effect.forEach(
    drivers,
    (driver) => Effect.map(driver.available, (availability) => ({ driver, availability })),
    { concurrency: "unbounded" }
  )
  return {
    run: availabilities.filter(({ availability }) => availability._tag === "Found").map(({ driver }) => driver),
    leftOut: availabilities.flatMap(({ driver, availability }) =>
      availability._tag === "Missing" ? [{ driver: driver.name, remedy: availability.remedy }] : []
    )
  }
})

/** The drivers that the environment variable `QUARTERDECK_DRIVERS` selects. */
export const selected: Effect.Effect<Selection, HarnessError> = Effect.flatMap(setting(VARIABLE), (list) =>
  select(list)
)
