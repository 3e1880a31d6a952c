/**
 * The names of drivers that people type; apart from the drivers themselves, which take longer to load than all else.
 */

/** Every driver that `Drivers` knows, and that of clusters which run already. */
export const NAMES = ["embedded", "control-plane", "k3s", "existing"] as const
export type DriverName = (typeof NAMES)[number]
