#!/usr/bin/env node
/**
 * The command `harness assets` under its former name.
 *
 * @since 0.1.0
 */
import process from "node:process"

process.argv.splice(2, 0, "assets")
await import("./harness.ts")
