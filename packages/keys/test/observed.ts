/** Capture of the log lines of an effect. */
import { Effect, Layer, Logger } from "effect"

/** Collects log lines. **Shape** `lines` grows while the layer is in use. */
export const collectLogs = (): { readonly lines: ReadonlyArray<string>; readonly layer: Layer.Layer<never> } => {
  const lines: Array<string> = []
  const logger = Logger.make(({ logLevel, message }) => {
    const parts: ReadonlyArray<unknown> = Array.isArray(message) ? message : [message]
    lines.push(`${logLevel} ${parts.map((part) => (part instanceof Error ? part.message : String(part))).join(" ")}`)
  })
  return { lines, layer: Logger.layer([logger]) }
}

/** Waits, in real time, until a condition holds. **Limits** 10 s. */
export const eventually = <E, R>(holds: Effect.Effect<boolean, E, R>): Effect.Effect<void, E, R> =>
  Effect.gen(function* () {
    while (!(yield* holds)) yield* Effect.sleep("10 millis")
  }).pipe(Effect.timeoutOrElse({ duration: "10 seconds", orElse: () => Effect.die(new Error("it never held")) }))
