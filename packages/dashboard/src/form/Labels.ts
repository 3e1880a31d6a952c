/**
 * Kubernetes labels as form fields hold them: `key=value`.
 */

/** Splits a label at its first `=`. **Shape** without `=` the value is empty. */
export const labelOf = (text: string): readonly [key: string, value: string] => {
  const at = text.indexOf("=")
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)]
}

/** Returns true if two labels have the same key. */
export const repeatsKey = (labels: ReadonlyArray<string>): boolean =>
  new Set(labels.map((label) => labelOf(label)[0])).size < labels.length
