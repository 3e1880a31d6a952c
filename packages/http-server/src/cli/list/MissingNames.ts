/**
 * Names that somebody gave and that are not there.
 */
import { Effect } from "effect"
import * as Nearest from "../../settings/Nearest.ts"
import * as Print from "../print/Print.ts"

/** More names than one has mistyped: a plan, which needs no line each. */
const MAX_TOLD = 5

interface Given {
  readonly names: ReadonlyArray<string>
  readonly known: ReadonlyArray<string>
  /** Says that a name is not there. */
  readonly absent: (name: string) => string
  /** What else is not there, counted. **Example** `of the key's clusters` */
  readonly others: string
}

/** Says on standard error which names are not known, five at most, and which other one may have been meant. */
export const tell = Effect.fn("MissingNames.tell")(function* ({ absent, known, names, others }: Given) {
  const missing = [...new Set(names)].filter((name) => !known.includes(name))
  const meant = known.filter((name) => !names.includes(name))
  for (const name of missing.slice(0, MAX_TOLD)) {
    yield* Print.note(`${absent(name)}${Nearest.suggestion(Nearest.find(name, meant))}`)
  }
  const untold = missing.length - MAX_TOLD
  if (untold > 0) yield* Print.note(`nor are others ${others}: ${untold}`)
})
