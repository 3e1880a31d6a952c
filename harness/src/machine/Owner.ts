/**
 * Names of files and directories that say which process they belong to, so that whoever finds one can tell whether
 * anybody still needs it.
 */
import { processWorld, startOf } from "./Processes.ts"

/** The run of a process: its number, its start, and the world in which the number means it. */
export interface Owner {
  readonly pid: number
  readonly start: string
  readonly world: string
}

const NAME = /([0-9]+)_([A-Za-z0-9-]+)_([A-Za-z0-9]+)$/

/** Gives this process. */
export const self = async (): Promise<Owner> => ({
  pid: process.pid,
  start: (await startOf(process.pid)) ?? "unknown",
  world: await processWorld()
})

/** Writes `<pid>_<start>_<world>`. */
export const print = ({ pid, start, world }: Owner): string => `${pid}_${start}_${world}`

/** Reads the owner at the end of a text; undefined when none stands there. */
export const parse = (text: string): Owner | undefined => {
  const [, pid, start, world] = NAME.exec(text) ?? []
  return pid === undefined || start === undefined || world === undefined
    ? undefined
    : { pid: Number(pid), start, world }
}

/** What can be told of an owner; those of other worlds (containers) cannot be seen from here. */
export const stateOf = async (owner: Owner): Promise<"alive" | "dead" | "elsewhere"> => {
  if (owner.world !== (await processWorld())) return "elsewhere"
  return (await startOf(owner.pid)) === owner.start ? "alive" : "dead"
}
