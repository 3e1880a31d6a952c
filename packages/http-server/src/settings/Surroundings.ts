/**
 * The environment of the process.
 */
import { Context, Layer } from "effect"
import { homedir } from "node:os"

/** The environment of the process: all environment variables, and the user's home directory. */
export class Surroundings extends Context.Service<
  Surroundings,
  {
    readonly variables: Readonly<Record<string, string>>
    readonly home: string
  }
>()("@quarterdeck/http-server/Surroundings") {
  /** Reads the environment of this process, once. */
  static readonly layerProcess = Layer.sync(Surroundings, () => {
    const variables = new Map<string, string>()
    for (const [name, value] of Object.entries(process.env)) {
      if (value !== undefined) variables.set(name, value)
    }
    return { variables: Object.fromEntries(variables), home: homedir() }
  })
}
