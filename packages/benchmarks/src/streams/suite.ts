/**
 * What the service claims of streams: how soon readers hear, that they miss nothing, and that they cost no memory.
 */
import type { Suite } from "../claim/Suite.ts"
import { delays } from "./delays.ts"

export const streams: Suite = { name: "streams", parts: () => [{ name: "changes of workloads", measure: delays }] }
