/** Extracts only the expected programs from an archive. */
import { createWriteStream } from "node:fs"
import { join } from "node:path"
import { pipeline } from "node:stream/promises"
import { Effect } from "effect"
import { list, type ReadEntry } from "tar"
import { ArchiveRefused } from "./DownloadError.ts"

/** Upper limit of a program's size. Programs of the control plane take about 100 MB. */
const MAX_PROGRAM_BYTES = 512 * 1024 * 1024

/**
 * Extracts `names` from a gzipped tar archive into a directory, as executable files.
 *
 * Entries are matched by the last part of their path; the archive does not control where files are written.
 *
 * **Errors** `ArchiveRefused` if the archive is truncated or lacks a program, and for any other entry: a link, a device,
 * an absolute path, a path with `..`, an unknown file, a duplicate. Files written before the error remain; the caller removes
 * them.
 */
export const extract = (options: {
  readonly archive: string
  readonly directory: string
  readonly names: ReadonlyArray<string>
}): Effect.Effect<void, ArchiveRefused> =>
  Effect.tryPromise({
    try: async () => {
      const extracted = new Set<string>()
      const writes: Array<Promise<void>> = []
      const problems: Array<string> = []
      try {
        await list({
          file: options.archive,
          strict: true,
          onReadEntry: (entry) => {
            const verdict = judge(entry, options.names, extracted)
            if (verdict._tag === "Program") {
              extracted.add(verdict.name)
              writes.push(
                pipeline(entry, createWriteStream(join(options.directory, verdict.name), { mode: 0o755, flags: "wx" }))
              )
              return
            }
            if (verdict._tag === "Refused") problems.push(verdict.problem)
            entry.resume()
          }
        })
      } finally {
        await Promise.allSettled(writes)
      }
      await Promise.all(writes)
      const [problem] = problems
      if (problem !== undefined) throw new Error(problem)
      const absent = options.names.filter((name) => !extracted.has(name))
      if (absent.length > 0) throw new Error(`it lacks ${absent.join(" and ")}`)
    },
    catch: (cause) => new ArchiveRefused({ problem: cause instanceof Error ? cause.message : String(cause) })
  })

type Judged =
  | { readonly _tag: "Program"; readonly name: string }
  | { readonly _tag: "Directory" }
  | { readonly _tag: "Refused"; readonly problem: string }

const refused = (problem: string): Judged => ({ _tag: "Refused", problem })

const judge = (entry: ReadEntry, names: ReadonlyArray<string>, extracted: ReadonlySet<string>): Judged => {
  const path = entry.path.split("/")
  if (entry.path.startsWith("/") || path.includes("..")) return refused(`${entry.path} leads out of the directory`)
  if (entry.type === "Directory") return { _tag: "Directory" }
  const name = path.at(-1) ?? ""
  if (entry.type !== "File" && entry.type !== "OldFile") return refused(`${entry.path} is a ${entry.type}`)
  if (!names.includes(name)) return refused(`${entry.path} is not one of ${names.join(", ")}`)
  if (extracted.has(name)) return refused(`${name} is contained twice`)
  if (entry.size > MAX_PROGRAM_BYTES) return refused(`${entry.path} has ${entry.size} bytes`)
  return { _tag: "Program", name }
}
