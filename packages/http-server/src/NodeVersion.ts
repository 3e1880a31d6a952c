/**
 * Throws at import if Node is too old. Later imports would fail with an unrelated message.
 */
const NEEDED = 24

if (Number(process.versions.node.split(".")[0]) < NEEDED) {
  const message = `@quarterdeck/http-server needs Node ${NEEDED} or newer, and this is ${process.version}`
  // The stack trace is of no use to the reader.
  throw Object.assign(new Error(message), { stack: message })
}
