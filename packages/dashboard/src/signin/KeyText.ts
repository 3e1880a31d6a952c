/**
 * The text that a user enters as a key.
 */

/** Maximum size of a key: a sign-in request of 4 KiB minus its JSON frame. **Units** bytes. */
const MAX_BYTES = 4_096 - '{"key":""}'.length

const SCHEME = /^\s*Bearer\s+/i

/** Removes the scheme of a copied Authorization header. **Example** `Bearer qd_1` becomes `qd_1` */
export const withoutScheme = (text: string): string => text.replace(SCHEME, "")

/** Returns the error of a text that cannot be sent as a key. */
export const errorOf = (key: string): string | undefined => {
  if (key === "") return "Enter your key"
  const bytes = new TextEncoder().encode(JSON.stringify(key)).length - 2
  return bytes > MAX_BYTES
    ? `This text is too long for a key: it has ${bytes.toLocaleString("en")} bytes, and a key has at most ${MAX_BYTES.toLocaleString("en")}.`
    : undefined
}
