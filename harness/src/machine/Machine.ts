/** Calls into the operating system, as effects that say what was being done when they fail. */
import { Config, Effect } from "effect"
import { MachineRefused } from "./HarnessError.ts"

export { inRealTime } from "@quarterdeck/embedded-cluster/RealTime"

/** Awaits a call of the machine; a refusal becomes `MachineRefused` with `action`, a verb phrase. */
export const attempt = <A>(
  action: string,
  run: (signal: AbortSignal) => Promise<A>
): Effect.Effect<A, MachineRefused> =>
  Effect.tryPromise({ try: run, catch: (cause) => new MachineRefused({ action, cause }) })

/** Makes a synchronous call of the machine. */
export const attemptSync = <A>(action: string, run: () => A): Effect.Effect<A, MachineRefused> =>
  Effect.try({ try: run, catch: (cause) => new MachineRefused({ action, cause }) })

/** Reads a setting of the environment; unset and empty are the same. */
export const setting = (name: string): Effect.Effect<string | undefined> =>
  Effect.gen(function* () {
    const value = yield* Config.String(name).pipe(Config.withDefault(""))
    return value === "" ? undefined : value
  }).pipe(Effect.orDie)
