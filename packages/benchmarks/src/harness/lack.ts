/**
 * What this machine lacks for a driver.
 */
import type { ClusterDriver } from "@quarterdeck/harness"
import { Effect, Option } from "effect"

/** Says what would bring a driver to this machine, if it is not there. */
export const lackOf = ({ available }: ClusterDriver.ClusterDriver): Effect.Effect<Option.Option<string>> =>
  Effect.map(available, (availability) =>
    availability._tag === "Missing" ? Option.some(availability.remedy) : Option.none()
  )
