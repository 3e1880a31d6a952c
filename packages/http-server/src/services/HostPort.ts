/**
 * A port that the host implements, as a layer.
 */
import { type Context, Effect, Layer, Schema } from "effect"
import type { PortName } from "../settings/Ports.ts"

/** The host's implementation cannot be opened, or violates the rules of its port. **Shape** `port` is the option's name. */
export class PortUnusable extends Schema.TaggedError<PortUnusable>()("PortUnusable", {
  port: Schema.String,
  cause: Schema.Defect()
}) {
  override get message(): string {
    return `${this.port}: ${this.cause instanceof Error ? this.cause.message : String(this.cause)}`
  }
}

/**
 * Provides the host's implementation. A layer is built with the service and closed after its last user.
 *
 * **Errors** `PortUnusable` for whatever the layer fails with.
 */
export const layer = <I, S extends object, R>(
  port: PortName,
  key: Context.Key<I, S>,
  given: S | Layer.Layer<I, unknown, R>
): Layer.Layer<I, PortUnusable, R> => {
  const isLayer = (part: typeof given): part is Layer.Layer<I, unknown, R> => Layer.isLayer(part)
  if (!isLayer(given)) return Layer.succeed(key, given)
  return given.pipe(Layer.catch((cause) => Layer.effectContext(Effect.fail(new PortUnusable({ port, cause })))))
}
