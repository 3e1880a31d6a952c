#!/usr/bin/env node
/**
 * The program `harness`. It imports nothing before it has looked at the version of Node: an older one fails within what
 * is imported, in words that help nobody.
 */
const NODE_NEEDED = 24

if (Number(process.versions.node.split(".")[0]) < NODE_NEEDED) {
  process.stderr.write(`harness: Node ${NODE_NEEDED} or newer is needed, and this is ${process.version}\n`)
  process.exit(1)
}

await import("./main.ts")
