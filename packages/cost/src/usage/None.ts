/**
 * The usage source of clusters without usage: only requests are charged, and no hour is covered.
 */
import type { RequestsOnly } from "./UsageSource.ts"

export const requestsOnly: RequestsOnly = { _tag: "RequestsOnly" }
