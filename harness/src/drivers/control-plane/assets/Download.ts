/**
 * Downloads the programs of a control plane that the Kubernetes project publishes for tests: etcd, kube-apiserver and
 * kubectl. The controller manager and the scheduler are not among them; a build brings those.
 */
import { createHash } from "node:crypto"
import { chmod, mkdir, mkdtemp, open, rename, rm } from "node:fs/promises"
import { join } from "node:path"
import { Context, Duration, Effect, Option, Stream } from "effect"
import * as Owner from "../../../machine/Owner.ts"
import { inRealTime, setting } from "../../../machine/Machine.ts"
import * as Archive from "./Archive.ts"
import { DirectoryRefused } from "./BuildError.ts"
import { DownloadError, FetchFailed, HashDiffers, NotPublished } from "./DownloadError.ts"
import { cacheRoot, KUBERNETES_MINOR, type ProgramName } from "./Programs.ts"
import * as ReleaseIndex from "./ReleaseIndex.ts"
import * as Version from "./Version.ts"

/** What an archive holds. */
const PUBLISHED: ReadonlyArray<ProgramName> = ["etcd", "kube-apiserver", "kubectl"]

/** The variable that names another index. */
export const INDEX_VARIABLE = "QUARTERDECK_ASSETS_INDEX"

/** How long an address may send nothing (default 30 s). */
export const Patience = Context.Reference<Duration.Input>("@quarterdeck/harness/assets/Download/Patience", {
  defaultValue: () => "30 seconds"
})

const MAX_INDEX_BYTES = 16 * 1024 * 1024
const MAX_ARCHIVE_BYTES = 1024 * 1024 * 1024

export interface DownloadOptions {
  /** `1.33` means its newest published patch (default the harness's own minor release). */
  readonly version?: string
  /** Where the index is, `http:` or `https:` (default `QUARTERDECK_ASSETS_INDEX`, else the project's own). */
  readonly index?: string
  /** Which machine the programs are for (default this one). */
  readonly machine?: ReleaseIndex.Machine
  /** Told of every piece; `totalBytes` is absent when the address does not say it. */
  readonly progress?: (state: { readonly receivedBytes: number; readonly totalBytes?: number }) => Effect.Effect<void>
}

export interface Downloaded {
  /** `v1.36.0` */
  readonly version: string
  readonly directory: string
  readonly programs: ReadonlyArray<ProgramName>
}

/**
 * Downloads a release into the cache.
 *
 * **Errors** `NotPublished`, `FetchFailed`, `HashDiffers`, `ArchiveRefused`; nothing is left then.
 *
 * **Limits** a program that is there is replaced; each appears whole, and only once the whole archive has been proved.
 */
export const download = (options: DownloadOptions = {}): Effect.Effect<Downloaded, DownloadError> =>
  Effect.scoped(
    Effect.gen(function* () {
      const url = options.index ?? (yield* setting(INDEX_VARIABLE)) ?? ReleaseIndex.DEFAULT_URL
      const machine = options.machine ?? ReleaseIndex.machineOf(process.platform, process.arch)
      const asked = yield* versionAsked(options.version ?? KUBERNETES_MINOR, machine)
      const index = yield* ReleaseIndex.read(url, yield* textFrom(url))
      const archive = yield* ReleaseIndex.pick(index, { asked, machine, url })

      const directory = join(yield* cacheRoot, archive.version)
      yield* attempt("create the cache", () => mkdir(directory, { recursive: true }))
      const owner = Owner.print(yield* attempt("learn who downloads", () => Owner.self()))
      const draft = yield* Effect.acquireRelease(
        attempt("create a directory to download to", () => mkdtemp(`${directory}.downloading-${owner}-`)),
        (path) =>
          attempt("remove what was downloaded", () => rm(path, { recursive: true, force: true })).pipe(Effect.orDie)
      )
      const file = join(draft, "archive")
      const sha512 = yield* fetchInto(file, archive.url, options.progress ?? (() => Effect.void))
      if (sha512 !== archive.sha512) {
        return yield* new HashDiffers({ url: archive.url, expected: archive.sha512, actual: sha512 })
      }
      yield* Archive.extract({ archive: file, directory: draft, names: PUBLISHED })
      yield* attempt("put the programs in their place", async () => {
        for (const name of PUBLISHED) {
          await chmod(join(draft, name), 0o755)
          await rename(join(draft, name), join(directory, name))
        }
      })
      return { version: archive.version, directory, programs: PUBLISHED }
    })
  ).pipe(
    Effect.mapError((reason) => new DownloadError({ reason })),
    inRealTime
  )

const versionAsked = (text: string, machine: ReleaseIndex.Machine) => {
  const refused = new NotPublished({ version: text, machine: `${machine.os}/${machine.arch}`, available: [] })
  return Option.match(Version.parse(text), {
    onNone: () => Effect.fail(refused),
    onSome: (asked) => Effect.succeed(asked)
  })
}

const textFrom = Effect.fnUntraced(function* (url: string) {
  const { body } = yield* opened(url)
  const chunks = yield* Stream.runCollect(bounded(url, body, MAX_INDEX_BYTES))
  return Buffer.concat(chunks).toString("utf8")
})

/** Writes what an address sends into a new file and gives its SHA-512. */
const fetchInto = Effect.fnUntraced(function* (
  path: string,
  url: string,
  progress: NonNullable<DownloadOptions["progress"]>
) {
  const { body, totalBytes } = yield* opened(url)
  const file = yield* Effect.acquireRelease(
    attempt("create the archive's file", () => open(path, "wx", 0o600)),
    (file) => attempt("close the archive's file", () => file.close()).pipe(Effect.orDie)
  )
  const hash = createHash("sha512")
  let receivedBytes = 0
  yield* Stream.runForEach(bounded(url, body, MAX_ARCHIVE_BYTES), (chunk) =>
    Effect.gen(function* () {
      hash.update(chunk)
      receivedBytes += chunk.length
      yield* attempt("write the archive's file", () => file.writeFile(chunk))
      yield* progress({ receivedBytes, ...(totalBytes === undefined ? {} : { totalBytes }) })
    })
  )
  if (totalBytes !== undefined && receivedBytes !== totalBytes) {
    return yield* new FetchFailed({ url, problem: `it ended after ${receivedBytes} of ${totalBytes} bytes` })
  }
  return hash.digest("hex")
}, Effect.scoped)

/** Opens an address, redirects followed; the request ends with the scope. */
const opened = Effect.fnUntraced(function* (url: string) {
  const failed = (problem: string) => new FetchFailed({ url, problem })
  const stop = yield* Effect.acquireRelease(
    Effect.sync(() => new AbortController()),
    (stop) => Effect.sync(() => stop.abort())
  )
  const patience = yield* Patience
  const response = yield* Effect.tryPromise({
    // The bytes are proved as they were published, so they must come as they were published.
    try: () => fetch(url, { signal: stop.signal, headers: { "accept-encoding": "identity" } }),
    catch: (cause) => failed(whyOf(cause))
  }).pipe(withPatience(patience, failed))
  if (response.status !== 200 || response.body === null) return yield* failed(`status ${response.status}`)
  const length = Number(response.headers.get("content-length") ?? Number.NaN)
  const body = Stream.fromAsyncIterable<Uint8Array, FetchFailed>(response.body, (cause) => failed(whyOf(cause)))
  return { body, ...(Number.isSafeInteger(length) ? { totalBytes: length } : {}) }
})

/** Fails when nothing comes for too long, or too much. */
const bounded = (url: string, body: Stream.Stream<Uint8Array, FetchFailed>, maxBytes: number) =>
  Stream.unwrap(
    Effect.map(Patience, (patience) => {
      let bytes = 0
      const failed = (problem: string) => new FetchFailed({ url, problem })
      return body.pipe(
        Stream.timeoutOrElse({ duration: patience, orElse: () => Stream.fail(failed(silent(patience))) }),
        Stream.mapEffect((chunk) => {
          bytes += chunk.length
          return bytes > maxBytes ? Effect.fail(failed(`it sends more than ${maxBytes} bytes`)) : Effect.succeed(chunk)
        })
      )
    })
  )

const withPatience =
  (patience: Duration.Input, failed: (problem: string) => FetchFailed) =>
  <A>(effect: Effect.Effect<A, FetchFailed>) =>
    Effect.timeoutOrElse(effect, { duration: patience, orElse: () => Effect.fail(failed(silent(patience))) })

const silent = (patience: Duration.Input): string =>
  `nothing came for ${Duration.format(Duration.fromInputUnsafe(patience))}`

/** The reason that lies behind `fetch failed`. */
const whyOf = (cause: unknown): string => {
  if (!(cause instanceof Error)) return String(cause)
  return cause.cause instanceof Error && cause.cause.message !== "" ? cause.cause.message : cause.message
}

const attempt = <A>(action: string, run: () => Promise<A>): Effect.Effect<A, DirectoryRefused> =>
  Effect.tryPromise({ try: run, catch: (cause) => new DirectoryRefused({ action, cause }) })
