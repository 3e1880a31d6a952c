/**
 * Icons of the page. A label or text is beside each of them.
 */
import type { ReactNode } from "react"

const Icon = ({ children }: { readonly children: ReactNode }) => (
  <svg
    width={18}
    height={18}
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    strokeWidth={2}
    strokeLinecap="round"
    strokeLinejoin="round"
    aria-hidden="true"
  >
    {children}
  </svg>
)

export const OverviewIcon = () => (
  <Icon>
    <path d="M3 11l9-8 9 8M5 10v10h5v-6h4v6h5V10" />
  </Icon>
)

export const KeyIcon = () => (
  <Icon>
    <circle cx="8" cy="15" r="4" />
    <path d="M11 12l9-9M16 7l3 3" />
  </Icon>
)

export const PersonIcon = () => (
  <Icon>
    <circle cx="12" cy="8" r="4" />
    <path d="M4 21c1.5-4 4.5-6 8-6s6.500 2 8 6" />
  </Icon>
)

export const SunIcon = () => (
  <Icon>
    <circle cx="12" cy="12" r="4" />
    <path d="M12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.500 1.500M17.500 17.500L19 19M19 5l-1.500 1.500M6.500 17.500L5 19" />
  </Icon>
)

export const MoonIcon = () => (
  <Icon>
    <path d="M20 14A8.500 8.500 0 1 1 10 4a7 7 0 0 0 10 10z" />
  </Icon>
)

export const ClusterIcon = () => (
  <Icon>
    <rect x="3" y="4" width="18" height="6" rx="1.500" />
    <rect x="3" y="14" width="18" height="6" rx="1.500" />
    <path d="M7 7h.01M7 17h.01" />
  </Icon>
)

export const WorkloadIcon = () => (
  <Icon>
    <path d="M12 2l9 5v10l-9 5-9-5V7z" />
    <path d="M3 7l9 5 9-5M12 12v10" />
  </Icon>
)

export const PodIcon = () => (
  <Icon>
    <rect x="3" y="3" width="7" height="7" rx="1.500" />
    <rect x="14" y="3" width="7" height="7" rx="1.500" />
    <rect x="8.500" y="14" width="7" height="7" rx="1.500" />
  </Icon>
)

export const EventIcon = () => (
  <Icon>
    <path d="M13 2L4 14h7l-1 8 10-13h-8z" />
  </Icon>
)

export const NamespaceIcon = () => (
  <Icon>
    <path d="M3 6h6l2 3h10v10H3z" />
  </Icon>
)

export const CostIcon = () => (
  <Icon>
    <path d="M4 20V10M10 20V4M16 20v-7M22 20H2" />
  </Icon>
)

export const PriceIcon = () => (
  <Icon>
    <path d="M3 12V4a1 1 0 0 1 1-1h8l9 9-9 9z" />
    <path d="M7.500 7.500h.01" />
  </Icon>
)

export const AuditIcon = () => (
  <Icon>
    <path d="M6 3h9l4 4v14H6zM9 12h6M9 16h6M9 8h2" />
  </Icon>
)

export const SearchIcon = () => (
  <Icon>
    <circle cx="11" cy="11" r="7" />
    <path d="M21 21l-5-5" />
  </Icon>
)
