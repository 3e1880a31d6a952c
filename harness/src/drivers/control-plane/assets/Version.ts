/** Releases of Kubernetes, as people name them: `1.33`, `v1.33.2`. */
import { Option } from "effect"

/** A release, or all patches of a minor release when `patch` is absent. */
export interface Version {
  readonly major: number
  readonly minor: number
  readonly patch?: number
}

/** A release and none beside it. */
export type Release = Required<Version>

/** Numbers have no leading zeros and few digits; a pre-release is no release. */
const NUMBER = "(0|[1-9][0-9]{0,5})"
const SHAPE = new RegExp(`^v?${NUMBER}\\.${NUMBER}(?:\\.${NUMBER})?$`)

/** Reads `1.33`, `v1.33` or either with a patch; none for everything else, pre-releases too. */
export const parse = (text: string): Option.Option<Version> => {
  const [, major, minor, patch] = SHAPE.exec(text) ?? []
  if (major === undefined || minor === undefined) return Option.none()
  const version = { major: Number(major), minor: Number(minor) }
  return Option.some(patch === undefined ? version : { ...version, patch: Number(patch) })
}

/** Reads a whole release, with its patch. */
export const parseRelease = (text: string): Option.Option<Release> =>
  Option.filter(parse(text), (version) => isRelease(version))

/** Tells whether the patch is given. */
export const isRelease = (version: Version): version is Release => version.patch !== undefined

/** Writes `v1.33.2`, or `v1.33` without a patch. */
export const print = ({ major, minor, patch }: Version): string =>
  `v${major}.${minor}${patch === undefined ? "" : `.${patch}`}`

/** Orders releases, the oldest first. */
export const compare = (left: Release, right: Release): number =>
  left.major - right.major || left.minor - right.minor || left.patch - right.patch

/** Tells whether a release is the one that was asked for, or one of its patches. */
export const includes = (asked: Version, release: Release): boolean =>
  asked.major === release.major
  && asked.minor === release.minor
  && (asked.patch === undefined || asked.patch === release.patch)

/** Gives the newest of the texts that name a release which was asked for. **Limits** linear. */
export const newest = (asked: Version, texts: ReadonlyArray<string>): Option.Option<Release> =>
  Option.fromUndefinedOr(
    texts
      .flatMap((text) => Option.toArray(parseRelease(text)))
      .filter((release) => includes(asked, release))
      .toSorted(compare)
      .at(-1)
  )
