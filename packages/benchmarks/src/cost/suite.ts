/**
 * What costs claim: reports, closings, room, a large fleet, and that no closed hour is lost.
 */
import type { Suite } from "../claim/Suite.ts"
import { closings } from "./closings.ts"
import { kills } from "./kills.ts"
import { reports } from "./reports.ts"
import { scale } from "./scale.ts"

export const cost: Suite = {
  name: "cost",
  parts: () => [
    { name: "reports", measure: reports },
    { name: "closings", measure: closings },
    { name: "a large fleet", measure: scale },
    { name: "closings that are killed", measure: kills }
  ]
}
