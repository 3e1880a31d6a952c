/**
 * The definition of one setting.
 */
import { Option } from "effect"
import * as Kind from "./Kind.ts"

/**
 * One setting.
 *
 * **Shape** `path` is the place in the YAML file, `flag` the name on the command line. `initial` is the value if no source
 * sets the setting. `initialText` is the default as a flag writes it, absent if there is no default.
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

/** Defines a setting with a default. */
export const withDefault = <A>(initialText: string, facts: Facts<A>): Row<A> => ({
  ...facts,
  initial: Option.getOrThrow(Kind.decode(facts.kind.fromText, initialText)),
  initialText
})

/** Defines a setting without a default. */
export const optional = <A>(facts: Facts<A>): Row<A | undefined> => ({ ...facts, initial: undefined })
