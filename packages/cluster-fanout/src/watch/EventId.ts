/**
 * Encodes a reader's position in a change log, bound to one watch.
 */
import { hash } from "node:crypto"

/** Long enough to distinguish watches. The binding is no secret: access is decided by the key. */
const BINDING_CHARACTERS = 16

/** Returns the binding of one watch: a hash of its key and query. */
export const bindingOf = (facts: unknown): string =>
  hash("sha256", JSON.stringify(facts), "base64url").slice(0, BINDING_CHARACTERS)

/** Encodes a position in a log for one watch. **Example** `k3v9x0.1f4.Zk3_9aQ2xLm0pQ_r` */
export const print = (log: string, number: number, binding: string): string =>
  `${log}.${number.toString(36)}.${binding}`

/**
 * Returns an id without a position, for events that are sent before all initial rows were sent. A watch cannot resume
 * from it.
 */
export const nowhere = (log: string): string => `${log}..`

/** Decodes the number of a position. Returns `undefined` for a position of another log or watch. */
export const parse = (text: string, log: string, binding: string): number | undefined => {
  const [ofLog, number = "", ofWatch, ...more] = text.split(".")
  if (ofLog !== log || ofWatch !== binding || more.length > 0 || !/^[0-9a-z]{1,10}$/.test(number)) return undefined
  return Number.parseInt(number, 36)
}
