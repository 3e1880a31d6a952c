/**
 * Names of files and directories that identify the owning process, so that other processes can tell whether the owner
 * still runs.
 */
import { processWorld, startOf } from "./Processes.ts"

/** One run of a process: its number, its start time and its process namespace. */
export interface Owner {
  readonly pid: number
  readonly start: string
  readonly world: string
}

const NAME = /([0-9]+)_([A-Za-z0-9-]+)_([A-Za-z0-9]+)$/

/** Returns the owner for this process. */
export const self = async (): Promise<Owner> => ({
  pid: process.pid,
  start: (await startOf(process.pid)) ?? "unknown",
  world: await processWorld()
})

/** Formats an owner as `<pid>_<start time>_<id of the process namespace>`. */
export const print = ({ pid, start, world }: Owner): string => `${pid}_${start}_${world}`

/** Parses the owner at the end of a text, or returns undefined. */
export const parse = (text: string): Owner | undefined => {
  const [, pid, start, world] = NAME.exec(text) ?? []
  return pid === undefined || start === undefined || world === undefined
    ? undefined
    : { pid: Number(pid), start, world }
}

/**
 * Returns the state of an owner. An owner in another process namespace (a container) is `elsewhere`: its state is
 * unknown.
 */
export const stateOf = async (owner: Owner): Promise<"alive" | "dead" | "elsewhere"> => {
  if (owner.world !== (await processWorld())) return "elsewhere"
  return (await startOf(owner.pid)) === owner.start ? "alive" : "dead"
}
