#!/usr/bin/env node
/**
 * The program `quarterdeck`. It checks the version of Node before any import. On an older version, the imports would fail
 * with an unrelated message.
 */

const NODE_NEEDED = 24

if (Number(process.versions.node.split(".")[0]) < NODE_NEEDED) {
  process.stderr.write(`quarterdeck: Node ${NODE_NEEDED} or newer is needed, and this is ${process.version}\n`)
  process.exit(1)
}

const { enableCompileCache } = await import("node:module")
const Path = await import("node:path")

// Node's default is a directory in the shared temporary directory, where another user could place code.
const { HOME = "", XDG_CACHE_HOME = Path.join(HOME, ".cache") } = process.env
if (Path.isAbsolute(XDG_CACHE_HOME)) enableCompileCache(Path.join(XDG_CACHE_HOME, "quarterdeck"))

const { run } = await import("./cli/NodeProgram.ts")
run()
