/**
 * Builds the harness's own image from programs on this machine, for machines without a registry.
 *
 * Its root filesystem has busybox, the programs of the control plane, and an entry point that accepts the command line
 * of k3s. Docker imports it as one archive; nothing is downloaded.
 */
import { createHash } from "node:crypto"
import { chmod, copyFile, link, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { execFile } from "node:child_process"
import { Clock, Effect, Option, Schema } from "effect"
import { create } from "tar"
import { DirectoryRefused } from "../control-plane/assets/BuildError.ts"
import * as GoToolchain from "../control-plane/assets/GoToolchain.ts"
import { BUILD_COMMAND, find, PROGRAMS } from "../control-plane/assets/Programs.ts"
import { callJson, call } from "./DockerEngine.ts"
import { BusyboxMissing, ImageError, ProgramsMissing } from "./ImageError.ts"
import * as Images from "./Images.ts"
import { SHAPED_LABEL } from "./Labels.ts"

/** Directory of the entry point's module, a sibling of `src` and `dist`. The relative path is the same from both. */
const MODULE = fileURLToPath(new URL("../../../kubernetes/k3s-image/", import.meta.url))
const BUSYBOX_PLACES = ["/usr/bin/busybox", "/bin/busybox", "/usr/local/bin/busybox"]
const LINKER_FLAGS = "-s -w"
/** Timeout for importing 370 MB on a slow disk. */
const IMPORT_WITHIN_MS = 600_000

const run = promisify(execFile)

/** The image's configuration. */
const CHANGES = ['ENTRYPOINT ["/bin/k3s"]', "ENV PATH=/bin KUBECONFIG=/etc/rancher/k3s/k3s.yaml", "EXPOSE 6443/tcp"]

/** Directories of the image. k3s keeps its data in a volume and mounts tmpfs on both `run` directories. */
const DIRECTORIES = ["bin", "etc/rancher/k3s", "root", "run", "tmp", "var/run", "var/lib/rancher/k3s"]

/**
 * Builds the image, unless the engine has an image of the same files, and returns its name.
 *
 * **Errors** `ProgramsMissing` before the build starts; `EngineUnreachable` without Docker.
 *
 * **Limits** about 5 s. The image takes 370 MB of the engine's disk.
 */
export const build = (progress: (line: string) => Effect.Effect<void>): Effect.Effect<string, ImageError> =>
  Effect.scoped(
    Effect.gen(function* () {
      const programs = yield* locate
      const busybox = yield* findBusybox
      const digest = yield* digestOf([...programs.values(), busybox])
      const present = yield* Images.find(Images.LOCAL_IMAGE)
      if (Option.exists(present, ({ builtFrom }) => builtFrom === digest)) return Images.LOCAL_IMAGE

      const started = yield* Clock.currentTimeMillis
      const root = yield* Effect.acquireRelease(
        attempt("create a directory for the image's files", () => mkdtemp(join(tmpdir(), "quarterdeck-image-"))),
        (path) =>
          attempt("remove the image's files", () => rm(path, { recursive: true, force: true })).pipe(Effect.orDie)
      )
      yield* progress("[1/2] compiling the entry point")
      const go = yield* GoToolchain.find
      yield* attempt("create the image's directories", async () => {
        for (const directory of DIRECTORIES) await mkdir(join(root, directory), { recursive: true })
        await chmod(join(root, "tmp"), 0o1777)
      })
      yield* GoToolchain.compile({
        program: `the entry point (Go ${go})`,
        module: MODULE,
        pinned: true,
        command: ".",
        output: join(root, "bin", "k3s"),
        linkerFlags: LINKER_FLAGS
      })
      yield* attempt("gather the image's files", () => gather(root, programs, busybox))
      yield* progress(`[2/2] importing ${Images.LOCAL_IMAGE}`)
      yield* importFrom(root, digest)
      const seconds = Math.round(((yield* Clock.currentTimeMillis) - started) / 1000)
      yield* progress(`built ${Images.LOCAL_IMAGE} in ${seconds} s`)
      return Images.LOCAL_IMAGE
    })
  ).pipe(Effect.mapError((reason) => new ImageError({ reason })))

const locate = Effect.gen(function* () {
  const found = yield* Effect.forEach(PROGRAMS, (name) =>
    Effect.map(find(name), (place) => ({ name, path: Option.map(place, ({ path }) => path) }))
  )
  const absent = found.filter(({ path }) => Option.isNone(path)).map(({ name }) => name)
  if (absent.length > 0) {
    return yield* new ProgramsMissing({ names: absent, remedy: `run \`${BUILD_COMMAND}\` first` })
  }
  return new Map(found.flatMap(({ name, path }) => Option.toArray(Option.map(path, (path) => [name, path] as const))))
})

const findBusybox = Effect.gen(function* () {
  for (const place of BUSYBOX_PLACES) {
    const file = yield* Effect.promise(() => readFile(place).catch(() => undefined))
    if (file !== undefined && isStatic(file)) return place
  }
  return yield* new BusyboxMissing({ looked: BUSYBOX_PLACES })
})

/**
 * Returns whether a program is statically linked. A dynamically linked program names its loader,
 * `/lib64/ld-linux-x86-64.so.2` or `/lib/ld-musl-…`, near its start.
 */
const isStatic = (program: Buffer): boolean => !/\/ld-(?:linux|musl)/.test(program.toString("latin1", 0, 4096))

/**
 * Returns a digest of the image's files. It uses sizes and modification times of the programs, to avoid reading
 * hundreds of megabytes.
 */
const digestOf = (programs: ReadonlyArray<string>): Effect.Effect<string, DirectoryRefused> =>
  attempt("inspect the programs for the image", async () => {
    const hash = createHash("sha256").update(JSON.stringify([CHANGES, DIRECTORIES]))
    for (const path of programs) {
      const { mtimeMs, size } = await stat(path)
      hash.update(JSON.stringify([path, size, mtimeMs]))
    }
    const sources = await readdir(MODULE)
    for (const name of sources.toSorted()) hash.update(await readFile(join(MODULE, name)))
    return hash.digest("hex").slice(0, 16)
  })

const gather = async (root: string, programs: ReadonlyMap<string, string>, busybox: string): Promise<void> => {
  for (const [name, path] of [...programs, ["busybox", busybox] as const]) {
    const target = join(root, "bin", name)
    // A hard link avoids a copy, if the file system allows it.
    await link(path, target).catch(() => copyFile(path, target))
  }
  const { stdout } = await run(busybox, ["--list"])
  for (const applet of stdout.trim().split("\n")) {
    if (applet !== "busybox" && !programs.has(applet)) await symlink("busybox", join(root, "bin", applet))
  }
}

const ImportReply = Schema.Struct({ Id: Schema.String })

const importFrom = Effect.fnUntraced(function* (root: string, digest: string) {
  const [repository = "", tag = ""] = Images.LOCAL_IMAGE.split(":")
  const changes = [...CHANGES, `LABEL ${SHAPED_LABEL}=${digest}`]
  const archive = create({ cwd: root, portable: true }, ["."])
  // The engine responds with 200 before it has read the archive, so the import is verified by inspecting the image.
  const output = yield* call({
    method: "POST",
    path: "/images/create",
    query: { fromSrc: "-", repo: repository, tag, changes },
    archive,
    withinMs: IMPORT_WITHIN_MS
  })
  yield* callJson(ImportReply)({ method: "GET", path: `/images/${Images.LOCAL_IMAGE}/json` }).pipe(
    Effect.mapError(
      (error) =>
        new DirectoryRefused({
          action: "import the image",
          cause: new Error(
            `${error.message}; Docker's output: ${output.toString("utf8").trim().slice(-SHOWN_CHARACTERS)}`
          )
        })
    )
  )
})

const SHOWN_CHARACTERS = 500

const attempt = <A>(action: string, run: () => Promise<A>): Effect.Effect<A, DirectoryRefused> =>
  Effect.tryPromise({ try: run, catch: (cause) => new DirectoryRefused({ action, cause }) })
