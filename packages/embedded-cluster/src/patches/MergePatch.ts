/**
 * JSON Merge Patch: objects merge key by key, `null` removes a key, any other value replaces.
 *
 * **Source** RFC 7396.
 */
import { isObject, type Json } from "../core/Json.ts"

/** Applies a patch. **Limits** linear in the patch and the objects that it changes. */
export const apply = (target: Json | undefined, patch: Json): Json => {
  if (!isObject(patch)) return patch
  const merged = new Map<string, Json>(isObject(target) ? Object.entries(target) : [])
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key)
    else merged.set(key, apply(merged.get(key), value))
  }
  return Object.fromEntries(merged)
}
