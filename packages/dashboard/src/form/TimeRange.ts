/**
 * Value of the `range` parameter for a period with custom dates.
 */
export const CUSTOM = "custom"
