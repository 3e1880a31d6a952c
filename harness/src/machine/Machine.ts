/** System calls as effects. An error names the action that failed. */
import { Config, Effect } from "effect"
import { MachineRefused } from "./HarnessError.ts"

export { inRealTime } from "@quarterdeck/embedded-cluster/Machine"

/** Awaits a system call. An error becomes `MachineRefused` with `action`, a verb phrase. */
export const attempt = <A>(
  action: string,
  run: (signal: AbortSignal) => Promise<A>
): Effect.Effect<A, MachineRefused> =>
  Effect.tryPromise({ try: run, catch: (cause) => new MachineRefused({ action, cause }) })

/** Runs a synchronous system call. An error becomes `MachineRefused` with `action`. */
export const attemptSync = <A>(action: string, run: () => A): Effect.Effect<A, MachineRefused> =>
  Effect.try({ try: run, catch: (cause) => new MachineRefused({ action, cause }) })

/** Reads an environment variable. An empty one counts as unset. */
export const setting = (name: string): Effect.Effect<string | undefined> =>
  Effect.gen(function* () {
    const value = yield* Config.String(name).pipe(Config.withDefault(""))
    return value === "" ? undefined : value
  }).pipe(Effect.orDie)
