/**
 * Clusters whose usage nobody measures: requests alone are charged, and no hour is covered.
 */
import type { RequestsOnly } from "./UsageSource.ts"

/** The source that knows nothing. */
export const requestsOnly: RequestsOnly = { _tag: "RequestsOnly" }
