/**
 * Reports given names that do not exist.
 */
import { Effect } from "effect"
import * as Nearest from "../../settings/Nearest.ts"
import * as Print from "../print/Print.ts"

/** Maximum names that get their own line. */
const MAX_LINES = 5

interface Given {
  readonly names: ReadonlyArray<string>
  readonly known: ReadonlyArray<string>
  /** Makes the message about a missing name. */
  readonly absent: (name: string) => string
  /** Kind of names in the note `<count> more <others> do not exist`. **Example** `of the key's clusters` */
  readonly others: string
}

/** Notes each name that is not known, at most five, with a suggestion of a similar one. */
export const tell = Effect.fn("MissingNames.tell")(function* ({ absent, known, names, others }: Given) {
  const missing = [...new Set(names)].filter((name) => !known.includes(name))
  const meant = known.filter((name) => !names.includes(name))
  for (const name of missing.slice(0, MAX_LINES)) {
    yield* Print.note(`${absent(name)}${Nearest.suggestion(Nearest.find(name, meant))}`)
  }
  const more = missing.length - MAX_LINES
  if (more > 0) yield* Print.note(`${more} more ${others} do not exist`)
})
