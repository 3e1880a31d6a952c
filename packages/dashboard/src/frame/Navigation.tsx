/**
 * The pages in the navigation: their labels, the roles that see them, and their shortcut keys.
 */
import type { ReactNode } from "react"
import type { Role } from "../api/Shapes.ts"
import {
  AuditIcon,
  ClusterIcon,
  CostIcon,
  EventIcon,
  KeyIcon,
  NamespaceIcon,
  OverviewIcon,
  PersonIcon,
  PodIcon,
  PriceIcon,
  WorkloadIcon
} from "./Icons.tsx"
import { PLACES } from "./places.ts"

export interface Place {
  readonly to: string
  readonly label: string
  /** Heading above the place; absent for the first places. */
  readonly group?: string
  readonly icon: ReactNode
  /** Key to press after `g`. */
  readonly key: string
  readonly roles?: ReadonlyArray<Role>
}

const ALL: ReadonlyArray<Place> = [
  { to: PLACES.overview, label: "Overview", icon: <OverviewIcon />, key: "h" },
  { to: PLACES.clusters, label: "Clusters", icon: <ClusterIcon />, key: "c" },
  { to: PLACES.workloads, label: "Workloads", icon: <WorkloadIcon />, key: "w" },
  { to: PLACES.pods, label: "Pods", icon: <PodIcon />, key: "d" },
  { to: PLACES.events, label: "Events", icon: <EventIcon />, key: "e" },
  { to: PLACES.namespaces, label: "Namespaces", icon: <NamespaceIcon />, key: "n" },
  { to: PLACES.cost, label: "Cost", icon: <CostIcon />, key: "o" },
  { to: PLACES.audit, label: "Audit", icon: <AuditIcon />, key: "a", roles: ["Admin"] },
  { to: PLACES.apiKeys, label: "API Keys", group: "Users", icon: <KeyIcon />, key: "k", roles: ["Admin"] },
  { to: PLACES.prices, label: "Prices", group: "Settings", icon: <PriceIcon />, key: "p" },
  { to: PLACES.ownKey, label: "Your key", group: "You", icon: <PersonIcon />, key: "y" }
]

/** Returns the places that a role sees. */
export const placesOf = (role: Role): ReadonlyArray<Place> =>
  ALL.filter(({ roles }) => roles === undefined || roles.includes(role))
