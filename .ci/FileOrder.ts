/**
 * The order in which workers begin test files: those that take longest first, so that none of them is left to run alone at
 * the end, and those that would hinder each other one after the other.
 */

/** From here on a file is told apart from the many that share a process and are over at once. */
const LONG = 10

/**
 * Projects of which one file at a time is enough. Two that borrow the same clusters wait for each other, and keep a worker
 * from its work; a browser has enough to do without two others beside it.
 */
const ONE_AT_A_TIME: ReadonlySet<string> = new Set(["borrowing", "pages"])

/** **Shape** `seconds` is how long it is likely to take. */
export interface TestFile {
  readonly project: string
  readonly seconds: number
}

/** The long ones by how long they take, then the others, by project so that those which share a process get the same one. */
const byLength = (one: TestFile, other: TestFile): number => {
  const areLong = [one.seconds >= LONG, other.seconds >= LONG]
  if (areLong[0] !== areLong[1]) return areLong[0] === true ? -1 : 1
  if (areLong[0] === false && one.project !== other.project) return one.project < other.project ? -1 : 1
  return other.seconds - one.seconds
}

/**
 * Gives the order in which workers should begin files. It plays the run, as long as files take as they did: whenever a
 * worker is free it gets a file of a project that goes one at a time and has none running, or else the next of the others.
 */
export const inOrder = <File extends TestFile>(files: ReadonlyArray<File>, workers: number): Array<File> => {
  const waiting = files.toSorted(byLength)
  const ordered: Array<File> = []
  let running: Array<{ readonly project: string; readonly until: number }> = []
  let now = 0
  while (waiting.length > 0) {
    const isFree = ({ project }: File) => running.every((one) => one.project !== project)
    const single = waiting.findIndex((file) => ONE_AT_A_TIME.has(file.project) && isFree(file))
    const other = waiting.findIndex(({ project }) => !ONE_AT_A_TIME.has(project))
    const [next] = waiting.splice([single, other].find((index) => index !== -1) ?? 0, 1)
    if (next === undefined) break
    ordered.push(next)
    running.push({ project: next.project, until: now + next.seconds })
    if (running.length < workers) continue
    now = Math.min(...running.map(({ until }) => until))
    running = running.filter(({ until }) => until > now)
  }
  return ordered
}
