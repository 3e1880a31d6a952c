/**
 * What is worked out once for a value that never changes.
 */

/** Makes a function that remembers what it gave. **Limits** a result lives as long as what it was worked out of. */
export const oncePer = <Of extends object, A extends object | string | null>(make: (of: Of) => A): ((of: Of) => A) => {
  const known = new WeakMap<Of, A>()
  return (of) => {
    const before = known.get(of)
    if (before !== undefined) return before
    const made = make(of)
    known.set(of, made)
    return made
  }
}
