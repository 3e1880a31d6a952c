/** Prints numbers as the quantities of metrics-server. */

/** Prints cores in nanocores, the way metrics-server does. */
export const printCores = (cores: number): string => `${Math.round(cores * 1e9)}n`

/** Prints bytes in kibibytes, the way metrics-server does. */
export const printBytes = (bytes: number): string => `${Math.round(bytes / 1_024)}Ki`
