/**
 * Says at import which Node is needed: an older one fails within what is imported after this, in words that help nobody.
 */
const NEEDED = 24

if (Number(process.versions.node.split(".")[0]) < NEEDED) {
  const message = `@quarterdeck/cluster-fanout needs Node ${NEEDED} or newer, and this is ${process.version}`
  // Where it was thrown explains nothing.
  throw Object.assign(new Error(message), { stack: message })
}
