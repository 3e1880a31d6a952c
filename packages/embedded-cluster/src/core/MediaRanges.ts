/**
 * The parts of an Accept or Content-Type header.
 */

/** One media range of an Accept header. **Shape** parameters keep their case. */
export interface MediaRange {
  readonly type: string
  readonly parameters: ReadonlyMap<string, string>
}

/** Splits an Accept header into its media ranges, in the client's order. */
export const mediaRanges = (accept: string | undefined): ReadonlyArray<MediaRange> =>
  (accept ?? "")
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .map((part) => {
      const [type = "", ...parameters] = part.split(";").map((piece) => piece.trim())
      const pairs = parameters.map((parameter): [string, string] => {
        const at = parameter.indexOf("=")
        return at < 0 ? [parameter, ""] : [parameter.slice(0, at), parameter.slice(at + 1)]
      })
      return { type: type.toLowerCase(), parameters: new Map(pairs) }
    })
