/**
 * The name of a registered cluster, as keys, headers, bodies and answers spell it.
 */
import { Order, Schema } from "effect"

const GRAMMAR = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,251}[A-Za-z0-9])?$/u

/**
 * Names one cluster.
 *
 * **Shape** 1 to 253 characters: letters, digits, `.`, `_` and `-`, the first and the last a letter or digit;
 * case-sensitive, compared byte by byte.
 */
export const ClusterName = Schema.String.check(
  Schema.isPattern(GRAMMAR, {
    description: "1 to 253 of A-Z a-z 0-9 . _ -, first and last a letter or digit",
    expected: "a cluster name: 1 to 253 of A-Z a-z 0-9 . _ -, first and last a letter or digit"
  })
).pipe(Schema.brand("ClusterName"))
export type ClusterName = typeof ClusterName.Type

/** Tells whether a text is a cluster name. */
export const is = (text: string): text is ClusterName => GRAMMAR.test(text)

/** Orders by UTF-16 code unit, which for this alphabet is byte order. */
export const order: Order.Order<ClusterName> = Order.String

/**
 * Makes a name from a text that may not be one, such as a kubeconfig context.
 *
 * **Shape** every run of characters outside the grammar becomes one `-`, which is cut from both ends;
 * `undefined` when nothing is left or the result is too long.
 *
 * **Example**
 *
 * ```ts
 * fromText("kubernetes-admin@kubernetes") // "kubernetes-admin-kubernetes"
 * ```
 */
export const fromText = (text: string): ClusterName | undefined => {
  const name = text.replace(/[^A-Za-z0-9._-]+/g, "-").replace(/^[._-]+|[._-]+$/g, "")
  return is(name) ? name : undefined
}
