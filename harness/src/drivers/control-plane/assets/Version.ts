/** Versions of Kubernetes in the usual notation: `1.33`, `v1.33.2`. */
import { Option } from "effect"

/** A release, or all patches of a minor release if `patch` is absent. */
export interface Version {
  readonly major: number
  readonly minor: number
  readonly patch?: number
}

/** A single release. */
export type Release = Required<Version>

/**
 * Regular expression for a number in a version. Numbers have no leading zeros and at most six digits. Pre-releases do
 * not match.
 */
const NUMBER = "(0|[1-9][0-9]{0,5})"
const SHAPE = new RegExp(`^v?${NUMBER}\\.${NUMBER}(?:\\.${NUMBER})?$`)

/** Parses `1.33`, `v1.33` or either with a patch. None for any other text, pre-releases included. */
export const parse = (text: string): Option.Option<Version> => {
  const [, major, minor, patch] = SHAPE.exec(text) ?? []
  if (major === undefined || minor === undefined) return Option.none()
  const version = { major: Number(major), minor: Number(minor) }
  return Option.some(patch === undefined ? version : { ...version, patch: Number(patch) })
}

/** Parses a release with its patch. */
export const parseRelease = (text: string): Option.Option<Release> =>
  Option.filter(parse(text), (version) => isRelease(version))

export const isRelease = (version: Version): version is Release => version.patch !== undefined

/** Formats `v1.33.2`, or `v1.33` without a patch. */
export const print = ({ major, minor, patch }: Version): string =>
  `v${major}.${minor}${patch === undefined ? "" : `.${patch}`}`

/** Orders releases by version, the lowest first. */
export const compare = (left: Release, right: Release): number =>
  left.major - right.major || left.minor - right.minor || left.patch - right.patch

/** Returns whether a release matches the requested version. */
export const includes = (requested: Version, release: Release): boolean =>
  requested.major === release.major
  && requested.minor === release.minor
  && (requested.patch === undefined || requested.patch === release.patch)

/** Returns the newest release among the texts that matches the requested version. */
export const newest = (requested: Version, texts: ReadonlyArray<string>): Option.Option<Release> =>
  Option.fromUndefinedOr(
    texts
      .flatMap((text) => Option.toArray(parseRelease(text)))
      .filter((release) => includes(requested, release))
      .toSorted(compare)
      .at(-1)
  )
