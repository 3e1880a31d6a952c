/** Fixtures with file scope, which vitest allows only at the top of a file. */
import { HarnessError, InvalidFleet } from "../machine/HarnessError.ts"

const INSIDE_DESCRIBE = /cannot be defined with a \w+ scope/

/** Defines fixtures. **Errors** throws `InvalidFleet`, which names `call`, if it runs inside `describe`. */
export const atTopOfFile = <A>(call: string, define: () => A): A => {
  try {
    return define()
  } catch (cause) {
    if (!(cause instanceof Error && INSIDE_DESCRIBE.test(cause.message))) throw cause
    const problem = `${call} must be called outside of describe, at the top of the file: the whole file shares its fleet`
    throw new HarnessError({ reason: new InvalidFleet({ problem }) })
  }
}
