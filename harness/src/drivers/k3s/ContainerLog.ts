/** The end of a container's log. */
import { LogTail } from "@quarterdeck/embedded-cluster/LogTail"

/** Some thousand lines: a container says much before it says why it failed. */
const HALF_BYTES = 1_024 * 1_024

/** Begins without lines. **Limits** keeps 1 to 2 MiB. */
export const make = (): LogTail => new LogTail(HALF_BYTES)

/** Gathers what a stream says from now on. */
export const followInto = (log: LogTail, stream: NodeJS.ReadableStream): void => {
  stream.on("data", (piece: string | Buffer) => log.push(piece.toString()))
  // A log that breaks off is a shorter log.
  stream.on("error", () => stream.removeAllListeners("data"))
}
