/**
 * Kubernetes quantities as numbers, and numbers as quantities.
 *
 * **Source** Kubernetes, `k8s.io/apimachinery/pkg/api/resource`.
 *
 * @since 0.1.0
 */

const QUANTITY = /^([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?)(Ki|Mi|Gi|Ti|Pi|Ei|n|u|m|k|M|G|T|P|E)?$/
const FACTOR: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60
}

/** Reads a quantity: cores of `250m`, bytes of `1Gi`; undefined when the text is none. */
export const parse = (text: string): number | undefined => {
  const [, digits, suffix = ""] = QUANTITY.exec(text) ?? []
  if (digits === undefined) return undefined
  // Thousandths are divided, because a tenth has no exact binary form and 100m must be the 0.1 that people type.
  return suffix === "m" ? Number(digits) / 1_000 : Number(digits) * (FACTOR[suffix] ?? 1)
}

/** Prints cores in nanocores, the way metrics-server does. */
export const printCores = (cores: number): string => `${Math.round(cores * 1e9)}n`

/** Prints bytes in kibibytes, the way metrics-server does. */
export const printBytes = (bytes: number): string => `${Math.round(bytes / 1_024)}Ki`
