/** What can be known about, and done to, a process that may not be ours. */
import { execFile } from "node:child_process"
import { createHash } from "node:crypto"
import { readdir, readFile, readlink } from "node:fs/promises"
import { promisify } from "node:util"

const run = promisify(execFile)

/** Sends a signal to a whole process group; false when none of it is left. */
export const signalGroup = (leader: number, signal: NodeJS.Signals): boolean => {
  try {
    process.kill(-leader, signal)
    return true
  } catch (cause) {
    if (codeOf(cause) === "ESRCH") return false
    throw cause
  }
}

/**
 * A short text that tells this run of a process from a later process with the same number; undefined when it has ended,
 * also while its parent has not noticed.
 *
 * **Shape** the start time in clock ticks where `/proc` exists, else a digest of what `ps` prints.
 */
export const startOf = async (pid: number): Promise<string | undefined> => {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, "utf8")
    // The command's name stands in parentheses and may hold any character, so fields are counted after the last one.
    const [state, ...fields] = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    return state === "Z" ? undefined : fields[18]
  } catch {
    const printed = await printOf(pid, "lstart")
    return printed === undefined ? undefined : createHash("sha256").update(printed).digest("hex").slice(0, 8)
  }
}

/** The command line of a process, undefined when there is no such process. */
export const commandOf = async (pid: number): Promise<string | undefined> => {
  try {
    return (await readFile(`/proc/${pid}/cmdline`, "utf8")).replaceAll("\0", " ")
  } catch {
    return await printOf(pid, "command")
  }
}

/** Finds this user's processes by a variable that they were started with, `NAME=value`; none where there is no `/proc`. */
export const startedWith = async (variable: string): Promise<ReadonlyArray<number>> => {
  const pids = (await readdir("/proc").catch((): Array<string> => [])).map(Number).filter((pid) => pid > 1)
  const environments = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/environ`, "utf8").catch(() => "")))
  return pids.filter((_, place) => environments[place]?.split("\0").includes(variable) === true)
}

/**
 * Names the world in which process numbers mean what they mean here: two containers may share a directory, not their
 * processes.
 */
export const processWorld = async (): Promise<string> => {
  try {
    return (await readlink("/proc/self/ns/pid")).replace(/[^0-9]/g, "")
  } catch {
    return "host"
  }
}

const printOf = async (pid: number, field: string): Promise<string | undefined> => {
  try {
    const text = (await run("ps", ["-o", `${field}=`, "-p", String(pid)])).stdout.trim()
    return text === "" ? undefined : text
  } catch {
    return undefined
  }
}

const codeOf = (cause: unknown): unknown => (cause instanceof Error && "code" in cause ? cause.code : undefined)
