/**
 * The claims of rate limits: a client that guesses keys hardly slows other clients.
 */
import type { Suite } from "../claim/Suite.ts"
import { guesses } from "./guesses.ts"

export const limits: Suite = { name: "limits", parts: () => [{ name: "guesses of keys", measure: guesses }] }
