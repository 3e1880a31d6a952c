/**
 * The order of imports between the folders of each package. The linter enforces it.
 */

/** A wing, or a list of siblings, which must not import each other. */
export type Wing = string | ReadonlyArray<string>

/**
 * The wings of each package, lowest first.
 *
 * A wing is a folder of `src`. `.` means `src` itself; `.` and a folder that contains other wings include only the modules
 * directly in them. A wing may import itself and the wings below it, but not a wing above it or a sibling. The entries, such
 * as `index.ts`, are above all wings.
 */
export const WINGS: Readonly<Record<string, ReadonlyArray<Wing>>> = {
  "packages/targeting": ["."],
  "packages/sqlite-thread": ["."],
  "packages/keys": [".", "audit", "store"],
  "packages/cluster-fanout": ["registry", "kube", "projection", "cache", "list", "act", "watch"],
  "packages/cost": ["hour", "savings", "price", "allocation", "usage", "store", "report", "export", "sampler"],
  "packages/contract": ["."],
  "packages/dashboard": [
    "format",
    "api",
    "feedback",
    "keyboard",
    "form",
    "clusterScope",
    "frame",
    "chart",
    "actions",
    ["audit", "clusters", "cost", "keys", "lists", "overview", "prices", "signin", "workloads"],
    "."
  ],
  "packages/http-server": [
    "limits",
    "settings",
    "services",
    "http/request",
    "http/refusal",
    "http/audit",
    "http/lists",
    "http/costs",
    "http/overview",
    "http/guard",
    "http/hot",
    "http/mcp",
    "http/pages",
    "http/stream",
    "http/actions",
    "http/handlers",
    "http",
    ".",
    "cli/print",
    "cli/request",
    "cli/list",
    "cli/look",
    "cli/act",
    "cli/keys",
    "cli/cost",
    "cli/audit",
    "cli/mcp",
    "cli"
  ],
  "packages/benchmarks": [
    "claim",
    "load",
    "harness",
    "fleet",
    ["cost", "http", "limits", "logs", "soak", "streams"],
    "."
  ],
  "packages/embedded-cluster": [
    "core",
    "schemas",
    "forms",
    "customkinds",
    "checks",
    "patches",
    "access",
    "reads",
    "writes",
    "discovery",
    "controllers",
    "serving"
  ],
  harness: ["machine", "client", "state", "drivers", "faults", "simulation", "fleet", "vitest", "cli", "."]
}
