/**
 * Quarterdeck as a server, a command and a request handler.
 *
 * {@link Quarterdeck} is the whole service as a value that a host mounts; {@link launch} runs it on a socket of its own.
 */
import "./NodeVersion.ts"
export { launch } from "./Launch.ts"
export type { Options } from "./settings/Options.ts"
export type { Ports } from "./settings/Ports.ts"
export { type Embedded, Quarterdeck, type WebRequestFacts } from "./Quarterdeck.ts"
export { type Settings } from "./settings/Settings.ts"
