/**
 * How a program of a bench says that it listens: by a file, since what it prints is its log.
 */
import { renameSync, writeFileSync } from "node:fs"
import type { Server } from "node:net"

/** Listens on a port of loopback that is free, and gives it. */
export const port = (server: Server): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      resolve(typeof address === "object" && address !== null ? address.port : 0)
    })
  })

/** Writes a file that is there whole or not at all. */
export const say = (file: string, facts: unknown): void => {
  writeFileSync(`${file}.part`, JSON.stringify(facts))
  renameSync(`${file}.part`, file)
}

/** Runs a program's start; what it fails with is said in place of where it listens, and ends it. */
export const orSay = async (file: string, begin: () => Promise<void>): Promise<void> => {
  try {
    await begin()
  } catch (error) {
    say(file, { problem: String(error) })
    process.exitCode = 1
  }
}

/** Listens, and writes the port into the file. */
export const listen = async (server: Server, file: string): Promise<void> => say(file, { port: await port(server) })
