/**
 * The index of archives that the Kubernetes project publishes for tests.
 *
 * **Source** kubernetes-sigs/controller-tools, `envtest-releases.yaml`.
 */
import { Effect, Option, Schema } from "effect"
import { parse } from "yaml"
import { IndexUnreadable, NotPublished } from "./DownloadError.ts"
import * as Version from "./Version.ts"

/** URL of the project's own index. */
export const DEFAULT_URL =
  "https://raw.githubusercontent.com/kubernetes-sigs/controller-tools/HEAD/envtest-releases.yaml"

/** Parses every scalar as text, because a hash may consist of digits only. */
const FAILSAFE = { schema: "failsafe" } as const
const NAMED_RELEASES = 8

const Sha512 = Schema.String.check(Schema.isPattern(/^[0-9a-f]{128}$/))
const Index = Schema.Struct({
  releases: Schema.Record(
    Schema.String,
    Schema.Record(Schema.String, Schema.Struct({ hash: Sha512, selfLink: Schema.NonEmptyString }))
  )
})
export type Index = typeof Index.Type

/** An archive's URL and its expected hash. */
export interface Archive {
  readonly version: string
  readonly url: string
  readonly sha512: string
}

/** Operating system and processor architecture, with Go's names. */
export interface Machine {
  readonly os: string
  readonly arch: string
}

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: "amd64", ppc64: "ppc64le" }

/** Converts Node's names of a machine type to Go's. */
export const machineOf = (platform: string, arch: string): Machine => ({
  os: platform,
  arch: ARCHITECTURES[arch] ?? arch
})

const decodeIndex = Schema.decodeUnknownEffect(Index)

/** Parses the YAML of the index at `url`. */
export const read = (url: string, text: string): Effect.Effect<Index, IndexUnreadable> =>
  Effect.try({ try: (): unknown => parse(text, FAILSAFE), catch: (cause) => cause }).pipe(
    Effect.flatMap((value) => decodeIndex(value)),
    Effect.mapError((cause) => new IndexUnreadable({ url, problem: firstLine(cause) }))
  )

/**
 * Returns the newest archive of a release, or of a minor release's patches, for a machine type.
 *
 * A relative `selfLink` is resolved against the index's URL.
 */
export const pick = (
  index: Index,
  options: { readonly requested: Version.Version; readonly machine: Machine; readonly url: string }
): Effect.Effect<Archive, IndexUnreadable | NotPublished> => {
  const { requested, machine, url } = options
  const { os, arch } = machine
  const archives = new Map(
    Object.entries(index.releases).flatMap(([version, files]) => {
      const file = Object.entries(files).find(([name]) => name === `envtest-${version}-${os}-${arch}.tar.gz`)?.[1]
      return file === undefined ? [] : [[version, file] as const]
    })
  )
  const version = Option.getOrUndefined(Option.map(Version.newest(requested, [...archives.keys()]), Version.print))
  const archive = version === undefined ? undefined : archives.get(version)
  if (version === undefined || archive === undefined) {
    const releases = [...archives.keys()].flatMap((name) => Option.toArray(Version.parseRelease(name)))
    const available = releases.toSorted(Version.compare).toReversed().slice(0, NAMED_RELEASES).map(Version.print)
    return Effect.fail(new NotPublished({ version: Version.print(requested), machine: `${os}/${arch}`, available }))
  }
  return Effect.try({
    try: () => ({ version, url: new URL(archive.selfLink, url).href, sha512: archive.hash }),
    catch: () => new IndexUnreadable({ url, problem: `${archive.selfLink} is not a URL` })
  })
}

const firstLine = (cause: unknown): string =>
  String(cause instanceof Error ? cause.message : cause).split("\n")[0] ?? ""
