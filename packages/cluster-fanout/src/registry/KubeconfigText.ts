/** Decodes the bytes of a kubeconfig file. */
import { Result } from "effect"

/** Encodings identified by a byte order mark. PowerShell writes UTF-16 when output is redirected to a file. */
const MARKS = [
  { mark: [0xef, 0xbb, 0xbf], encoding: "utf-8" },
  { mark: [0xff, 0xfe], encoding: "utf-16le" },
  { mark: [0xfe, 0xff], encoding: "utf-16be" }
] as const

/**
 * Decodes UTF-8, and UTF-16 with a byte order mark. Removes the mark.
 *
 * **Errors** invalid bytes: replacing a byte could change a credential.
 *
 * **Source** YAML 1.1, "Character Encoding".
 */
export const decode = (bytes: Uint8Array): Result.Result<string, string> => {
  const found = MARKS.find(({ mark }) => mark.every((byte, place) => bytes[place] === byte))
  const encoding = found?.encoding ?? "utf-8"
  return Result.try({
    try: () => new TextDecoder(encoding, { fatal: true }).decode(bytes),
    catch: () => `is not ${encoding.toUpperCase()} text`
  })
}
