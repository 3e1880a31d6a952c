/**
 * Readers of single query parameters.
 */
import { Result } from "effect"
import { badRequest, type Outcome } from "./Status.ts"

/** Reads a boolean parameter as the real server does: any value but `0` and `false` is true. */
export const flag = (query: URLSearchParams, name: string): boolean | undefined => {
  const value = query.get(name)
  return value === null ? undefined : value !== "0" && value.toLowerCase() !== "false"
}

export const natural = (text: string): number | undefined => (/^[0-9]{1,15}$/.test(text) ? Number(text) : undefined)

/** Reads an integer parameter. Returns `undefined` if it is absent or empty. **Errors** 400. */
export const integer = (query: URLSearchParams, name: string): Outcome<number | undefined> => {
  const text = query.get(name) ?? ""
  if (text === "") return Result.succeed(undefined)
  return /^[-+]?[0-9]{1,18}$/.test(text)
    ? Result.succeed(Number(text))
    : Result.fail(badRequest(`${name} must be a whole number, not ${JSON.stringify(text)}`))
}
