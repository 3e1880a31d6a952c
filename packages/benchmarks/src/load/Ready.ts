/**
 * Reports the port of a benchmark program through a file, because its output is its log.
 */
import { renameSync, writeFileSync } from "node:fs"
import type { Server } from "node:net"

/** Listens on a free loopback port and returns it. */
export const port = (server: Server): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      resolve(typeof address === "object" && address !== null ? address.port : 0)
    })
  })

/** Writes the file atomically. */
export const say = (file: string, facts: unknown): void => {
  writeFileSync(`${file}.part`, JSON.stringify(facts))
  renameSync(`${file}.part`, file)
}

/** Runs a program's startup. On failure, writes the error into the file instead of the port, and ends the program. */
export const orSay = async (file: string, begin: () => Promise<void>): Promise<void> => {
  try {
    await begin()
  } catch (error) {
    say(file, { problem: String(error) })
    process.exitCode = 1
  }
}

/** Listens on a free port and writes it into the file. */
export const listen = async (server: Server, file: string): Promise<void> => say(file, { port: await port(server) })
