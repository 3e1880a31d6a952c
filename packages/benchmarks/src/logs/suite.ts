/**
 * The claims of logs: following a log takes no memory, however long the log and slow the client.
 */
import type { Suite } from "../claim/Suite.ts"
import { followed } from "./followed.ts"

export const logs: Suite = { name: "logs", parts: () => [{ name: "a log that is followed", measure: followed }] }
