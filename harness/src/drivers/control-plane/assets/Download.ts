/**
 * Downloads the programs that the Kubernetes project publishes for tests: etcd, kube-apiserver and kubectl. The
 * controller manager and the scheduler are not published; build them.
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

/** Programs in a published archive. */
const PUBLISHED: ReadonlyArray<ProgramName> = ["etcd", "kube-apiserver", "kubectl"]

/** Environment variable with the URL of another index. */
export const INDEX_VARIABLE = "QUARTERDECK_ASSETS_INDEX"

/** Maximum time for which a server may send no data (default 30 s). */
export const Patience = Context.Reference<Duration.Input>("@quarterdeck/harness/assets/Download/Patience", {
  defaultValue: () => "30 seconds"
})

const MAX_INDEX_BYTES = 16 * 1024 * 1024
const MAX_ARCHIVE_BYTES = 1024 * 1024 * 1024

export interface DownloadOptions {
  /** `1.33` means its newest published patch (default: the harness's own minor release). */
  readonly version?: string
  /** URL of the index, `http:` or `https:` (default: `QUARTERDECK_ASSETS_INDEX`, or the project's index). */
  readonly index?: string
  /** Target machine of the programs (default: this machine). */
  readonly machine?: ReleaseIndex.Machine
  /** Called for every chunk. `totalBytes` is absent if the server does not send it. */
  readonly progress?: (state: { readonly receivedBytes: number; readonly totalBytes?: number }) => Effect.Effect<void>
}

export interface Downloaded {
  /** The release: `v1.36.0`. */
  readonly version: string
  readonly directory: string
  readonly programs: ReadonlyArray<ProgramName>
}

/**
 * Downloads a release into the cache.
 *
 * **Errors** `NotPublished`, `FetchFailed`, `HashDiffers` or `ArchiveRefused`; then no files remain.
 *
 * **Limits** replaces existing programs. Each program appears atomically, after the whole archive has been verified.
 */
export const download = (options: DownloadOptions = {}): Effect.Effect<Downloaded, DownloadError> =>
  Effect.scoped(
    Effect.gen(function* () {
      const url = options.index ?? (yield* setting(INDEX_VARIABLE)) ?? ReleaseIndex.DEFAULT_URL
      const machine = options.machine ?? ReleaseIndex.machineOf(process.platform, process.arch)
      const requested = yield* parseVersion(options.version ?? KUBERNETES_MINOR, machine)
      const index = yield* ReleaseIndex.read(url, yield* textFrom(url))
      const archive = yield* ReleaseIndex.pick(index, { requested, machine, url })

      const directory = join(yield* cacheRoot, archive.version)
      yield* attempt("create the cache", () => mkdir(directory, { recursive: true }))
      const owner = Owner.print(yield* attempt("identify this process", () => Owner.self()))
      const draft = yield* Effect.acquireRelease(
        attempt("create a download directory", () => mkdtemp(`${directory}.downloading-${owner}-`)),
        (path) =>
          attempt("remove the download directory", () => rm(path, { recursive: true, force: true })).pipe(Effect.orDie)
      )
      const file = join(draft, "archive")
      const sha512 = yield* fetchInto(file, archive.url, options.progress ?? (() => Effect.void))
      if (sha512 !== archive.sha512) {
        return yield* new HashDiffers({ url: archive.url, expected: archive.sha512, actual: sha512 })
      }
      yield* Archive.extract({ archive: file, directory: draft, names: PUBLISHED })
      yield* attempt("move the programs into the cache", async () => {
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

const parseVersion = (text: string, machine: ReleaseIndex.Machine) => {
  const refused = new NotPublished({ version: text, machine: `${machine.os}/${machine.arch}`, available: [] })
  return Option.match(Version.parse(text), {
    onNone: () => Effect.fail(refused),
    onSome: (requested) => Effect.succeed(requested)
  })
}

const textFrom = Effect.fnUntraced(function* (url: string) {
  const { body } = yield* opened(url)
  const chunks = yield* Stream.runCollect(bounded(url, body, MAX_INDEX_BYTES))
  return Buffer.concat(chunks).toString("utf8")
})

/** Downloads a URL into a new file and returns its SHA-512. */
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
    return yield* new FetchFailed({ url, problem: `the response ended after ${receivedBytes} of ${totalBytes} bytes` })
  }
  return hash.digest("hex")
}, Effect.scoped)

/** Requests a URL and follows redirects. Closing the scope aborts the request. */
const opened = Effect.fnUntraced(function* (url: string) {
  const failed = (problem: string) => new FetchFailed({ url, problem })
  const stop = yield* Effect.acquireRelease(
    Effect.sync(() => new AbortController()),
    (stop) => Effect.sync(() => stop.abort())
  )
  const patience = yield* Patience
  const response = yield* Effect.tryPromise({
    // The hash is that of the published bytes, so the response must not be re-encoded.
    try: () => fetch(url, { signal: stop.signal, headers: { "accept-encoding": "identity" } }),
    catch: (cause) => failed(causeOf(cause))
  }).pipe(withPatience(patience, failed))
  if (response.status !== 200 || response.body === null) return yield* failed(`status ${response.status}`)
  const length = Number(response.headers.get("content-length") ?? Number.NaN)
  const body = Stream.fromAsyncIterable<Uint8Array, FetchFailed>(response.body, (cause) => failed(causeOf(cause)))
  return { body, ...(Number.isSafeInteger(length) ? { totalBytes: length } : {}) }
})

/** Fails if the server sends nothing for too long, or too much. */
const bounded = (url: string, body: Stream.Stream<Uint8Array, FetchFailed>, maxBytes: number) =>
  Stream.unwrap(
    Effect.map(Patience, (patience) => {
      let bytes = 0
      const failed = (problem: string) => new FetchFailed({ url, problem })
      return body.pipe(
        Stream.timeoutOrElse({ duration: patience, orElse: () => Stream.fail(failed(silent(patience))) }),
        Stream.mapEffect((chunk) => {
          bytes += chunk.length
          return bytes > maxBytes
            ? Effect.fail(failed(`the response exceeds ${maxBytes} bytes`))
            : Effect.succeed(chunk)
        })
      )
    })
  )

const withPatience =
  (patience: Duration.Input, failed: (problem: string) => FetchFailed) =>
  <A>(effect: Effect.Effect<A, FetchFailed>) =>
    Effect.timeoutOrElse(effect, { duration: patience, orElse: () => Effect.fail(failed(silent(patience))) })

const silent = (patience: Duration.Input): string =>
  `no data for ${Duration.format(Duration.fromInputUnsafe(patience))}`

/** Returns the cause behind the error `fetch failed`. */
const causeOf = (cause: unknown): string => {
  if (!(cause instanceof Error)) return String(cause)
  return cause.cause instanceof Error && cause.cause.message !== "" ? cause.cause.message : cause.message
}

const attempt = <A>(action: string, run: () => Promise<A>): Effect.Effect<A, DirectoryRefused> =>
  Effect.tryPromise({ try: run, catch: (cause) => new DirectoryRefused({ action, cause }) })
