/** Which drivers a test run uses, decided in one place. */
import { Effect } from "effect"
import type { ClusterDriver } from "./ClusterDriver.ts"
import * as ControlPlane from "./control-plane/ControlPlane.ts"
import * as Embedded from "./embedded/Embedded.ts"
import { HarnessError, InvalidFleet } from "../machine/HarnessError.ts"
import { setting } from "../machine/Machine.ts"
import * as K3s from "./k3s/LazyDriver.ts"

/** Every driver of this package, the fastest first. */
export const all: ReadonlyArray<ClusterDriver> = [Embedded.driver, ControlPlane.driver, K3s.driver]

export interface Selection {
  /** What to run. One that was asked for by name is here even if it is missing: starting it fails and says why. */
  readonly run: ReadonlyArray<ClusterDriver>
  /** What was left out because nobody asked for it and this machine lacks it. */
  readonly leftOut: ReadonlyArray<LeftOut>
}

export interface LeftOut {
  readonly driver: string
  /** One sentence that says what would bring it. */
  readonly remedy: string
}

const VARIABLE = "QUARTERDECK_DRIVERS"

/**
 * Selects drivers by a list of names, or by what this machine has.
 *
 * **Shape** `list` is separated by commas; undefined or blank means every driver that is found here.
 *
 * **Errors** `InvalidFleet` when it names a driver that does not exist: a typo must not turn tests off.
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
      const problem = `${VARIABLE} names the driver ${unknown}; there are ${known}`
      return yield* new HarnessError({ reason: new InvalidFleet({ problem }) })
    }
    return { run: drivers.filter(({ name }) => names.includes(name)), leftOut: [] }
  }
  const seen = yield* Effect.forEach(
    drivers,
    (driver) => Effect.map(driver.available, (availability) => ({ driver, availability })),
    { concurrency: "unbounded" }
  )
  return {
    run: seen.filter(({ availability }) => availability._tag === "Found").map(({ driver }) => driver),
    leftOut: seen.flatMap(({ driver, availability }) =>
      availability._tag === "Missing" ? [{ driver: driver.name, remedy: availability.remedy }] : []
    )
  }
})

/** What the environment variable `QUARTERDECK_DRIVERS` selects. */
export const selected: Effect.Effect<Selection, HarnessError> = Effect.flatMap(setting(VARIABLE), (list) =>
  select(list)
)
