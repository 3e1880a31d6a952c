/**
 * Keeps what was used last, up to a number of bytes.
 */

export interface LeastRecent<A> {
  readonly get: (key: string) => A | undefined
  readonly set: (key: string, value: A, bytes: number) => void
  /** Forgets every key that begins so. */
  readonly forget: (prefix: string) => void
}

export const make = <A>(maxBytes: number): LeastRecent<A> => {
  const kept = new Map<string, { readonly value: A; readonly bytes: number }>()
  let held = 0
  const drop = (key: string) => {
    held -= kept.get(key)?.bytes ?? 0
    kept.delete(key)
  }
  return {
    get: (key) => {
      const found = kept.get(key)
      if (found === undefined) return undefined
      kept.delete(key)
      kept.set(key, found)
      return found.value
    },
    set: (key, value, bytes) => {
      drop(key)
      if (bytes > maxBytes) return
      kept.set(key, { value, bytes })
      held += bytes
      for (const oldest of kept.keys()) {
        if (held <= maxBytes) return
        drop(oldest)
      }
    },
    forget: (prefix) => {
      for (const key of [...kept.keys()]) if (key.startsWith(prefix)) drop(key)
    }
  }
}
