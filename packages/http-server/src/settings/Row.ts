/**
 * One setting of the server, as data.
 */
import { Option } from "effect"
import * as Kind from "./Kind.ts"

/**
 * One setting.
 *
 * **Shape** `path` is its place in the YAML, `flag` its name on the command line; `initial` is the value when no
 * source gives one, and `initialText` how a flag would write it, absent when there is none.
 */
export interface Row<A> {
  readonly path: string
  readonly flag: string
  readonly kind: Kind.Kind<A>
  readonly initial: A
  readonly initialText?: string
  readonly unit?: "ms" | "s" | "days" | "bytes"
  readonly description: string
}

type Facts<A> = Pick<Row<A>, "path" | "flag" | "kind" | "unit" | "description">

/** A setting that has a value where no source gives one. */
export const withDefault = <A>(initialText: string, facts: Facts<A>): Row<A> => ({
  ...facts,
  initial: Option.getOrThrow(Kind.decode(facts.kind.fromText, initialText)),
  initialText
})

/** A setting that need not be given. */
export const optional = <A>(facts: Facts<A>): Row<A | undefined> => ({ ...facts, initial: undefined })
