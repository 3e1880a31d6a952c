/**
 * The name of a registered cluster in keys, headers, bodies and answers.
 */
import { Order, Schema } from "effect"

const GRAMMAR = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,251}[A-Za-z0-9])?$/u

/** The grammar in words, for error messages. */
export const ALLOWED = "1 to 253 of A-Z a-z 0-9 . _ -, first and last a letter or digit"

/**
 * The name of one cluster.
 *
 * **Shape** 1 to 253 characters: letters, digits, `.`, `_` and `-`, the first and the last a letter or digit;
 * case-sensitive, compared byte by byte.
 */
export const ClusterName = Schema.String.check(
  Schema.isPattern(GRAMMAR, {
    description: ALLOWED,
    expected: `a cluster name: ${ALLOWED}`
  })
).pipe(Schema.brand("ClusterName"))
export type ClusterName = typeof ClusterName.Type

/** Returns whether a text is a cluster name. */
export const is = (text: string): text is ClusterName => GRAMMAR.test(text)

/** Orders by UTF-16 code unit, which is byte order for this alphabet. */
export const order: Order.Order<ClusterName> = Order.String

/** Maximum length of a text that is converted to a name. No tool writes longer context names. */
const MAX_TEXT = 4096

/**
 * Makes a name from a text that may not be one, such as a kubeconfig context.
 *
 * **Shape** every run of characters outside the grammar becomes one `-`. `.`, `_` and `-` are removed from both ends.
 * `undefined` if nothing is left or the result is too long.
 *
 * **Limits** linear; `undefined` for a text over 4,096 characters.
 *
 * **Example**
 *
 * ```ts
 * fromText("kubernetes-admin@kubernetes") // "kubernetes-admin-kubernetes"
 * ```
 */
export const fromText = (text: string): ClusterName | undefined => {
  if (text.length > MAX_TEXT) return undefined
  const name = withoutEnds(text.replace(/[^A-Za-z0-9._-]+/g, "-"))
  return is(name) ? name : undefined
}

/** Trims with a loop: a regular expression would take quadratic time on long runs inside the text. */
const withoutEnds = (text: string): string => {
  let start = 0
  let end = text.length
  while (start < end && isCut(text[start])) start++
  while (end > start && isCut(text[end - 1])) end--
  return text.slice(start, end)
}

const isCut = (character: string | undefined): boolean => character === "." || character === "_" || character === "-"
