/**
 * Writes where a reader is in a log of changes, as a text that means nothing to another reader.
 */
import { hash } from "node:crypto"

/** Enough to tell one watch from another; it protects nothing, for whoever shows an id is judged by the key. */
const BINDING_CHARACTERS = 16

/** Makes the mark of one watch: of whom, and of what. */
export const bindingOf = (facts: unknown): string =>
  hash("sha256", JSON.stringify(facts), "base64url").slice(0, BINDING_CHARACTERS)

/** Writes the place of a change in a log, for one watch alone. **Example** `k3v9x0.1f4.Zk3_9aQ2xLm0pQ_r` */
export const print = (log: string, number: number, binding: string): string =>
  `${log}.${number.toString(36)}.${binding}`

/** The place of what is told before a reader has the whole first set: there is no going on from it. */
export const nowhere = (log: string): string => `${log}..`

/** Reads the number of a place back; `undefined` for one of another log or another watch. */
export const parse = (text: string, log: string, binding: string): number | undefined => {
  const [ofLog, number = "", ofWatch, ...more] = text.split(".")
  if (ofLog !== log || ofWatch !== binding || more.length > 0 || !/^[0-9a-z]{1,10}$/.test(number)) return undefined
  return Number.parseInt(number, 36)
}
