/** The end of a container's log. */
import { LogTail } from "@quarterdeck/embedded-cluster/LogTail"

/**
 * Half of the maximum length of a log. Enough for several thousand lines, because a container logs a lot before the
 * reason of a failure.
 */
const HALF_BYTES = 1_024 * 1_024

/** Creates an empty log. **Limits** keeps 1 to 2 MiB. */
export const make = (): LogTail => new LogTail(HALF_BYTES)

/** Adds the output of a stream to a log. */
export const followInto = (log: LogTail, stream: NodeJS.ReadableStream): void => {
  stream.on("data", (piece: string | Buffer) => log.push(piece.toString()))
  // If the stream fails, the log stays as it is.
  stream.on("error", () => stream.removeAllListeners("data"))
}
