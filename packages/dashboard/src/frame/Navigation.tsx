/**
 * The places of the page: what they are called, who sees them, and the key that goes there.
 */
import type { ReactNode } from "react"
import type { Role } from "../api/Shapes.ts"
import { AuditIcon, ClusterIcon, CostIcon, KeyIcon, PersonIcon, PriceIcon, WorkloadIcon } from "./Icons.tsx"
import { PLACES } from "./places.ts"

export interface Place {
  readonly to: string
  readonly label: string
  /** The heading that it stands under; absent for what the page is about. */
  readonly group?: string
  readonly icon: ReactNode
  /** What follows `g` on the keyboard. */
  readonly key: string
  readonly roles?: ReadonlyArray<Role>
}

const ALL: ReadonlyArray<Place> = [
  { to: PLACES.clusters, label: "Clusters", icon: <ClusterIcon />, key: "c" },
  { to: PLACES.workloads, label: "Workloads", icon: <WorkloadIcon />, key: "w" },
  { to: PLACES.cost, label: "Cost", icon: <CostIcon />, key: "o" },
  { to: PLACES.audit, label: "Audit", icon: <AuditIcon />, key: "a", roles: ["Admin"] },
  { to: PLACES.apiKeys, label: "API Keys", group: "Users", icon: <KeyIcon />, key: "k", roles: ["Admin"] },
  { to: PLACES.prices, label: "Prices", group: "Settings", icon: <PriceIcon />, key: "p" },
  { to: PLACES.ownKey, label: "Your key", group: "You", icon: <PersonIcon />, key: "y" }
]

/** Gives the places that a role sees. */
export const placesOf = (role: Role): ReadonlyArray<Place> =>
  ALL.filter(({ roles }) => roles === undefined || roles.includes(role))
