/**
 * The range of a time that goes from one day to another, as addresses say it.
 */
export const CUSTOM = "custom"
