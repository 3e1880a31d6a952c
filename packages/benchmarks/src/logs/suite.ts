/**
 * What the service claims of logs: that one that is followed costs no memory, however long it is and slow its reader.
 */
import type { Suite } from "../claim/Suite.ts"
import { followed } from "./followed.ts"

export const logs: Suite = { name: "logs", parts: () => [{ name: "a log that is followed", measure: followed }] }
