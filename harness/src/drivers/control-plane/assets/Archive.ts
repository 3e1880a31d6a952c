/** Takes programs out of an archive, and nothing else. */
import { createWriteStream } from "node:fs"
import { join } from "node:path"
import { pipeline } from "node:stream/promises"
import { Effect } from "effect"
import { list, type ReadEntry } from "tar"
import { ArchiveRefused } from "./DownloadError.ts"

/** A program of the control plane takes about 100 MB. */
const MAX_PROGRAM_BYTES = 512 * 1024 * 1024

/**
 * Writes each of `names` from a gzipped tar archive into a directory, executable.
 *
 * Programs are told by the last part of their path; the archive decides nothing about where they go.
 *
 * **Errors** `ArchiveRefused` when the archive holds a link, a device, a path that is absolute or leads upwards, another
 * file, a program twice or none of one name, or ends early. What has been written by then is the caller's to remove.
 */
export const extract = (options: {
  readonly archive: string
  readonly directory: string
  readonly names: ReadonlyArray<string>
}): Effect.Effect<void, ArchiveRefused> =>
  Effect.tryPromise({
    try: async () => {
      const seen = new Set<string>()
      const writes: Array<Promise<void>> = []
      const problems: Array<string> = []
      try {
        await list({
          file: options.archive,
          strict: true,
          onReadEntry: (entry) => {
            const judged = judge(entry, options.names, seen)
            if (judged._tag === "Program") {
              seen.add(judged.name)
              writes.push(
                pipeline(entry, createWriteStream(join(options.directory, judged.name), { mode: 0o755, flags: "wx" }))
              )
              return
            }
            if (judged._tag === "Refused") problems.push(judged.problem)
            entry.resume()
          }
        })
      } finally {
        await Promise.allSettled(writes)
      }
      await Promise.all(writes)
      const [problem] = problems
      if (problem !== undefined) throw new Error(problem)
      const absent = options.names.filter((name) => !seen.has(name))
      if (absent.length > 0) throw new Error(`${absent.join(" and ")} not in it`)
    },
    catch: (cause) => new ArchiveRefused({ problem: cause instanceof Error ? cause.message : String(cause) })
  })

type Judged =
  | { readonly _tag: "Program"; readonly name: string }
  | { readonly _tag: "Directory" }
  | { readonly _tag: "Refused"; readonly problem: string }

const refused = (problem: string): Judged => ({ _tag: "Refused", problem })

const judge = (entry: ReadEntry, names: ReadonlyArray<string>, seen: ReadonlySet<string>): Judged => {
  const path = entry.path.split("/")
  if (entry.path.startsWith("/") || path.includes("..")) return refused(`${entry.path} leads out of it`)
  if (entry.type === "Directory") return { _tag: "Directory" }
  const name = path.at(-1) ?? ""
  if (entry.type !== "File" && entry.type !== "OldFile") return refused(`${entry.path} is a ${entry.type}`)
  if (!names.includes(name)) return refused(`${entry.path} is none of ${names.join(", ")}`)
  if (seen.has(name)) return refused(`${name} is in it twice`)
  if (entry.size > MAX_PROGRAM_BYTES) return refused(`${entry.path} has ${entry.size} bytes`)
  return { _tag: "Program", name }
}
