/**
 * The claims for large fleets: pages, walks, syncs, live lists, and the delay of changes.
 */
import { ControlPlane } from "@quarterdeck/harness"
import { lackOf } from "../harness/lack.ts"
import type { Suite } from "../claim/Suite.ts"
import { changes } from "./changes.ts"
import { live } from "./live.ts"
import { reads } from "./reads.ts"
import { controlPlanes, pods } from "./syncs.ts"

export const fleet: Suite = {
  name: "fleet",
  parts: () => [
    { name: "page and walk", measure: reads },
    { name: "pods", measure: pods },
    { name: "live", measure: live },
    { name: "changes", measure: changes },
    { name: "first sync, control-plane", lacks: lackOf(ControlPlane.driver), measure: controlPlanes }
  ]
}
