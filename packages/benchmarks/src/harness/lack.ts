/**
 * The requirements of a driver that this machine lacks.
 */
import type { ClusterDriver } from "@quarterdeck/harness"
import { Effect, Option } from "effect"

/** Returns how to make a driver available on this machine, or none if it is available. */
export const lackOf = ({ available }: ClusterDriver.ClusterDriver): Effect.Effect<Option.Option<string>> =>
  Effect.map(available, (availability) =>
    availability._tag === "Missing" ? Option.some(availability.remedy) : Option.none()
  )
