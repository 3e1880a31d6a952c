/**
 * Checks the Node version at import. An older Node would fail with unhelpful errors in the modules imported later.
 */
const NEEDED = 24

if (Number(process.versions.node.split(".")[0]) < NEEDED) {
  const message = `@quarterdeck/cluster-fanout needs Node ${NEEDED} or newer, and this is ${process.version}`
  // The stack trace explains nothing.
  throw Object.assign(new Error(message), { stack: message })
}
