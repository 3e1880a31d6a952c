/**
 * The claims of streams: changes arrive soon, readers miss none, and memory stays flat.
 */
import type { Suite } from "../claim/Suite.ts"
import { delays } from "./delays.ts"

export const streams: Suite = { name: "streams", parts: () => [{ name: "changes of workloads", measure: delays }] }
