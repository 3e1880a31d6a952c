/** Looks up and signals processes that this process may not have started. */
import { execFile } from "node:child_process"
import { createHash } from "node:crypto"
import { readdir, readFile, readlink } from "node:fs/promises"
import { promisify } from "node:util"

const run = promisify(execFile)

/** Sends a signal to a process group. Returns false if no process of the group is left. */
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
 * Returns a short text that distinguishes this run of a process from a later one with the same number. Undefined if the
 * process has ended, even if it is still a zombie.
 *
 * **Shape** the start time in clock ticks if `/proc` exists, otherwise a digest of what `ps` prints.
 */
export const startOf = async (pid: number): Promise<string | undefined> => {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, "utf8")
    // The command name is in parentheses and may contain any character, so fields are counted after the last
    // parenthesis.
    const [state, ...fields] = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    return state === "Z" ? undefined : fields[18]
  } catch {
    const printed = await printOf(pid, "lstart")
    return printed === undefined ? undefined : createHash("sha256").update(printed).digest("hex").slice(0, 8)
  }
}

/** Returns the command line of a process, or undefined if there is no such process. */
export const commandOf = async (pid: number): Promise<string | undefined> => {
  try {
    return (await readFile(`/proc/${pid}/cmdline`, "utf8")).replaceAll("\0", " ")
  } catch {
    return await printOf(pid, "command")
  }
}

/**
 * Returns this user's processes whose environment at their start contained `variable` (`NAME=value`). Empty without
 * `/proc`.
 */
export const startedWith = async (variable: string): Promise<ReadonlyArray<number>> => {
  const pids = (await readdir("/proc").catch((): Array<string> => [])).map(Number).filter((pid) => pid > 1)
  const environments = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/environ`, "utf8").catch(() => "")))
  return pids.filter((_, place) => environments[place]?.split("\0").includes(variable) === true)
}

/**
 * Returns an id of the process namespace. Process numbers are comparable only within one: two containers may share a
 * directory but not their processes.
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
