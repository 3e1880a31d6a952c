/**
 * Reads and writes the server's cookies.
 *
 * **Source** RFC 6265bis: `__Host-` cookies are Secure and limited to one host.
 */
import { Duration } from "effect"

/** Returns the name of a cookie, with the `__Host-` prefix over HTTPS. */
const nameOf = (name: string, secure: boolean): string => (secure ? `__Host-${name}` : name)

/**
 * Returns the values of a cookie in the order sent. If `secure`, reads only the name with the `__Host-` prefix;
 * otherwise only the name without it.
 *
 * **Limits** linear in the length of the headers, because unauthenticated clients send them.
 */
export const valuesOf = (
  cookieHeaders: ReadonlyArray<string>,
  name: string,
  secure: boolean
): ReadonlyArray<string> => {
  const wanted = nameOf(name, secure)
  return cookieHeaders.flatMap((header) =>
    header.split(";").flatMap((pair) => {
      const at = pair.indexOf("=")
      return at >= 0 && trim(pair.slice(0, at)) === wanted ? [trim(pair.slice(at + 1))] : []
    })
  )
}

interface Cookie {
  readonly name: string
  readonly value: string
  readonly lasts: Duration.Duration
  readonly sameSite: "Lax" | "Strict"
}

/**
 * Prints a `Set-Cookie`. **Shape** the path is `/`: `__Host-` allows no other path, and the mount path is not known here.
 */
export const print = ({ lasts, name, sameSite, value }: Cookie, secure: boolean): string =>
  [
    `${nameOf(name, secure)}=${value}`,
    "Path=/",
    `Max-Age=${Math.floor(Duration.toSeconds(lasts))}`,
    "HttpOnly",
    `SameSite=${sameSite}`,
    ...(secure ? ["Secure"] : [])
  ].join("; ")

/** Removes spaces and tabs at both ends. A pattern such as `[ \t]+$` would be quadratic in a run of blanks. */
const trim = (text: string): string => {
  let start = 0
  let end = text.length
  while (start < end && isBlank(text.charCodeAt(start))) start++
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--
  return text.slice(start, end)
}

const isBlank = (code: number): boolean => code === 0x20 || code === 0x09
