/** Names of the drivers on the command line. In a module of its own, because the drivers take long to load. */

/** The drivers of `Drivers`, and the one for existing clusters. */
export const NAMES = ["embedded", "control-plane", "k3s", "existing"] as const
export type DriverName = (typeof NAMES)[number]
