/** Errors of downloading published programs. */
import { Schema } from "effect"
import { DirectoryRefused } from "./BuildError.ts"

/** A URL could not be fetched completely. */
export class FetchFailed extends Schema.TaggedError<FetchFailed>()("FetchFailed", {
  url: Schema.String,
  /** `status 404`, `no data for 30 s`, or the network error. */
  problem: Schema.String
}) {
  override get message(): string {
    return `${this.url} could not be fetched: ${this.problem}`
  }
}

/** The response is not an index of archives. */
export class IndexUnreadable extends Schema.TaggedError<IndexUnreadable>()("IndexUnreadable", {
  url: Schema.String,
  problem: Schema.String
}) {
  override get message(): string {
    return `${this.url} is not an index of archives: ${this.problem}`
  }
}

/**
 * The index has no archive of the release for the machine. `available` are the releases that it has, the newest first.
 */
export class NotPublished extends Schema.TaggedError<NotPublished>()("NotPublished", {
  version: Schema.String,
  machine: Schema.String,
  available: Schema.Array(Schema.String)
}) {
  override get message(): string {
    const known = this.available.length === 0 ? "no release is" : `available: ${this.available.join(", ")}`
    return `${this.version} is not published for ${this.machine}; ${known}`
  }
}

/** The archive's hash differs from the one in the index. The archive has been deleted. */
export class HashDiffers extends Schema.TaggedError<HashDiffers>()("HashDiffers", {
  url: Schema.String,
  expected: Schema.String,
  actual: Schema.String
}) {
  override get message(): string {
    return `${this.url} has the SHA-512 ${this.actual.slice(0, 12)}..., the index says ${this.expected.slice(0, 12)}...`
  }
}

/** The archive contains an unexpected entry or lacks a program. */
export class ArchiveRefused extends Schema.TaggedError<ArchiveRefused>()("ArchiveRefused", {
  problem: Schema.String
}) {
  override get message(): string {
    return `the archive is refused: ${this.problem}`
  }
}

/** Any failure of a download. */
export class DownloadError extends Schema.TaggedError<DownloadError>()("DownloadError", {
  reason: Schema.Union([FetchFailed, IndexUnreadable, NotPublished, HashDiffers, ArchiveRefused, DirectoryRefused])
}) {
  override get message(): string {
    return this.reason.message
  }
}
