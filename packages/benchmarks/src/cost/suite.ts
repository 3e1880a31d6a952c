/**
 * The claims of costs: reports, closing of hours, storage, a large fleet, and no loss of closed hours.
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
