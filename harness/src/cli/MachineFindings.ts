/** Checks of this machine: Node, memory, disk, ports and kernel limits. */
import { readFile, statfs } from "node:fs/promises"
import { freemem, totalmem } from "node:os"
import { dirname } from "node:path"
import { Effect, Option } from "effect"
import { cacheRoot } from "../drivers/control-plane/assets/Programs.ts"
import { attempt } from "../machine/Machine.ts"
import * as Ports from "@quarterdeck/embedded-cluster/Ports"
import * as Workspace from "../machine/Workspace.ts"
import { fail, type Finding, ok, warn } from "./Finding.ts"

const NODE_NEEDED = 24
const GIB = 1024 ** 3
/** Recommended free memory. Three real control planes take about 1 GB, three k3s clusters about 3 GB. */
const MEMORY_WANTED_BYTES = 2 * GIB
const MEMORY_NEEDED_BYTES = 512 * 1024 ** 2
/**
 * Recommended free space for clusters and for builds. A cluster's data takes 64 MB. Building programs takes 4 GB of
 * Go's caches.
 */
const SCRATCH_WANTED_BYTES = GIB
const CACHE_WANTED_BYTES = 6 * GIB
/**
 * Recommended limit of inotify instances. Each k3s and each kubelet opens several of them. With the usual default of
 * 128, the third or fourth cluster fails.
 */
const INOTIFY_INSTANCES_WANTED = 512
const INOTIFY_WATCHES_WANTED = 65_536

/** Compares a value with two minimums: a `warn` below the wanted one, a `fail` below the needed one. */
const atLeast = (
  name: string,
  detail: string,
  options: { readonly is: number; readonly wanted: number; readonly needed?: number; readonly remedy: string }
): Finding => {
  if (options.is >= options.wanted) return ok(name, detail)
  return options.needed !== undefined && options.is < options.needed
    ? fail(name, detail, options.remedy)
    : warn(name, detail, options.remedy)
}

export const node: Finding = atLeast("Node", process.version, {
  is: Number(process.versions.node.split(".")[0]),
  wanted: NODE_NEEDED,
  needed: NODE_NEEDED,
  remedy: `install Node ${NODE_NEEDED} or newer`
})

export const system: Finding =
  process.platform === "linux" || process.platform === "darwin"
    ? ok("system", `${process.platform} ${process.arch}`)
    : warn("system", `${process.platform} ${process.arch}`, "only the driver embedded works here; use Linux or macOS")

export const memory: Effect.Effect<Finding> = Effect.promise(async () => {
  // The kernel's estimate includes caches that it would free.
  const available = /^MemAvailable:\s+(\d+) kB$/m.exec(await readFile("/proc/meminfo", "utf8").catch(() => ""))?.[1]
  const bytes = available === undefined ? freemem() : Number(available) * 1024
  return atLeast("memory", `${gibibytes(bytes)} of ${gibibytes(totalmem())} available`, {
    is: bytes,
    wanted: MEMORY_WANTED_BYTES,
    needed: MEMORY_NEEDED_BYTES,
    remedy: "stop other programs, or run fewer clusters: each takes about 400 MB"
  })
})

const disk = Effect.fnUntraced(function* (name: string, path: string, wanted: number, remedy: string) {
  const free = yield* Effect.option(attempt("read the free space of a disk", () => freeOn(path)))
  if (Option.isNone(free)) return warn(name, `cannot read the free space of ${path}`, "make it readable")
  return atLeast(name, `${gibibytes(free.value)} free in ${path}`, { is: free.value, wanted, remedy })
})

/** Returns the free bytes of the disk of a path. A missing directory counts as part of its parent's disk. */
const freeOn = async (path: string): Promise<number> => {
  try {
    const { bavail, bsize } = await statfs(path)
    return bavail * bsize
  } catch (cause) {
    if (dirname(path) === path) throw cause
    return await freeOn(dirname(path))
  }
}

export const disks: Effect.Effect<ReadonlyArray<Finding>> = Effect.gen(function* () {
  const scratch = yield* Workspace.defaultRoot
  return [
    yield* disk("disk of clusters", scratch, SCRATCH_WANTED_BYTES, "free some space, or set TMPDIR to another disk"),
    yield* disk(
      "disk of programs",
      yield* cacheRoot,
      CACHE_WANTED_BYTES,
      "free some space: Go's caches take 4 GB while programs are built"
    )
  ]
})

export const ports: Effect.Effect<Finding> = Effect.scoped(Ports.reserve).pipe(
  Effect.map((port) => ok("ports", `127.0.0.1:${port} and others are free`)),
  Effect.catch((error) =>
    Effect.succeed(fail("ports", error.message, "stop programs that use many ports or files, or raise `ulimit -n`"))
  )
)

/** Checks the inotify limits, which only Linux has. */
export const inotify: Effect.Effect<ReadonlyArray<Finding>> = Effect.gen(function* () {
  const limits = [
    { file: "max_user_instances", wanted: INOTIFY_INSTANCES_WANTED },
    { file: "max_user_watches", wanted: INOTIFY_WATCHES_WANTED }
  ]
  const findings = yield* Effect.forEach(limits, ({ file, wanted }) =>
    Effect.promise(() => readFile(`/proc/sys/fs/inotify/${file}`, "utf8").catch(() => "")).pipe(
      Effect.map((text) =>
        text === ""
          ? []
          : [
              atLeast(`inotify ${file}`, text.trim(), {
                is: Number(text),
                wanted,
                remedy: `several k3s clusters need more: sysctl -w fs.inotify.${file}=${wanted}`
              })
            ]
      )
    )
  )
  return findings.flat()
})

const gibibytes = (bytes: number): string => `${(bytes / GIB).toFixed(1)} GiB`
