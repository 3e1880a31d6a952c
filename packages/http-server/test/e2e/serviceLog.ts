/** The log of the service under test: in a file, since nobody reads thousands of lines of it unless a test fails. */
import { Console, Effect, Logger } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach } from "vitest"

/**
 * Makes a logger for the suite that calls this while its tests are collected. A test that fails says where its file is, and
 * so does `name`; the file goes with the suite when nobody did.
 */
export const serviceLog = () => {
  let directory: string | undefined
  let isNamed = false
  const logger = Effect.suspend(() => {
    directory ??= mkdtempSync(join(tmpdir(), "quarterdeck-service-log-"))
    return Logger.toFile(Logger.formatLogFmt, join(directory, "service.log"))
  })
  const name = Effect.suspend(() => {
    if (directory === undefined) return Effect.void
    isNamed = true
    return Console.error(`the log of the service: ${join(directory, "service.log")}`)
  })
  afterEach(({ task }) => {
    if (task.result?.state === "fail") Effect.runSync(name)
  })
  // Such hooks run in reverse, so what writes the file has ended by then.
  afterAll(() => {
    if (directory !== undefined && !isNamed) rmSync(directory, { recursive: true })
  })
  return { layer: Logger.layer([logger]), name }
}
