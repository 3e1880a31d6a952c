/**
 * Memoization per object.
 */

/** Memoizes a function of an immutable object. **Limits** a result lives as long as the object it was made from. */
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
