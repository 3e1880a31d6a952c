/**
 * LRU cache that is bounded by bytes.
 */

export interface LeastRecent<A> {
  readonly get: (key: string) => A | undefined
  readonly set: (key: string, value: A, bytes: number) => void
  /** Removes every key with a prefix. */
  readonly forget: (prefix: string) => void
}

export const make = <A>(maxBytes: number): LeastRecent<A> => {
  const kept = new Map<string, { readonly value: A; readonly bytes: number }>()
  let bytesUsed = 0
  const drop = (key: string) => {
    bytesUsed -= kept.get(key)?.bytes ?? 0
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
      bytesUsed += bytes
      for (const oldest of kept.keys()) {
        if (bytesUsed <= maxBytes) return
        drop(oldest)
      }
    },
    forget: (prefix) => {
      for (const key of [...kept.keys()]) if (key.startsWith(prefix)) drop(key)
    }
  }
}
