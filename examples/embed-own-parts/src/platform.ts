/** A platform with its own database, inventory, metering and billing, on which Quarterdeck runs. */
import type { Hour } from "@quarterdeck/cost"
import { Quarterdeck } from "@quarterdeck/http-server"
import express from "express"
import type { DatabaseSync } from "node:sqlite"
import { join } from "node:path"
import * as BilledHours from "./BilledHours.ts"
import type { Inventory } from "./Inventory.ts"
import type { Meter } from "./Meter.ts"
import * as PlatformKeys from "./PlatformKeys.ts"

export interface Platform {
  readonly database: DatabaseSync
  readonly inventory: Inventory
  readonly meter: Meter
  readonly bill: (hour: Hour.Hour) => void
  readonly directory: string
}

/** Starts Quarterdeck below `/quarterdeck`. **Shape** call `dispose` before closing the database. */
export const start = async ({ bill, database, directory, inventory, meter }: Platform) => {
  const quarterdeck = await Quarterdeck.start({
    keyStore: PlatformKeys.make(database),
    clusterRegistry: inventory.registry,
    usageSources: { of: () => meter.source },
    costStore: BilledHours.layer({ directory: join(directory, "billing"), bill }),
    keys: { bootstrapFile: join(directory, "first-key") },
    dataDirectory: join(directory, "quarterdeck"),
    telemetry: { logLevel: "warn" }
  })
  const app = express()
  app.use("/quarterdeck", quarterdeck.nodeHandler)
  return { app, dispose: quarterdeck.dispose }
}
