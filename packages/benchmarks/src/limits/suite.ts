/**
 * What limits claim: who guesses keys costs others little.
 */
import type { Suite } from "../claim/Suite.ts"
import { guesses } from "./guesses.ts"

export const limits: Suite = { name: "limits", parts: () => [{ name: "guesses of keys", measure: guesses }] }
