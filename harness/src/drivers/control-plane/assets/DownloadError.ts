/** Why published programs could not be downloaded. */
import { Schema } from "effect"
import { DirectoryRefused } from "./BuildError.ts"

/** Nothing, or half of it, came from an address. */
export class FetchFailed extends Schema.TaggedError<FetchFailed>()("FetchFailed", {
  url: Schema.String,
  /** `status 404`, `nothing came for 30 s`, or what the network said. */
  problem: Schema.String
}) {
  override get message(): string {
    return `${this.url} could not be fetched: ${this.problem}`
  }
}

/** What came as the index of archives is none. */
export class IndexUnreadable extends Schema.TaggedError<IndexUnreadable>()("IndexUnreadable", {
  url: Schema.String,
  problem: Schema.String
}) {
  override get message(): string {
    return `${this.url} is no index of archives: ${this.problem}`
  }
}

/** The index has no archive of that release for this machine; `available` are releases that it has, the newest first. */
export class NotPublished extends Schema.TaggedError<NotPublished>()("NotPublished", {
  version: Schema.String,
  machine: Schema.String,
  available: Schema.Array(Schema.String)
}) {
  override get message(): string {
    const known = this.available.length === 0 ? "none are" : `there are ${this.available.join(", ")}`
    return `${this.version} is not published for ${this.machine}; ${known}`
  }
}

/** The archive is not the one of which the index speaks; it has been thrown away. */
export class HashDiffers extends Schema.TaggedError<HashDiffers>()("HashDiffers", {
  url: Schema.String,
  expected: Schema.String,
  actual: Schema.String
}) {
  override get message(): string {
    return `${this.url} has the SHA-512 ${this.actual.slice(0, 12)}..., the index says ${this.expected.slice(0, 12)}...`
  }
}

/** The archive holds something else than programs, or not all of them. */
export class ArchiveRefused extends Schema.TaggedError<ArchiveRefused>()("ArchiveRefused", {
  problem: Schema.String
}) {
  override get message(): string {
    return `the archive is refused: ${this.problem}`
  }
}

/** Every failure of a download. */
export class DownloadError extends Schema.TaggedError<DownloadError>()("DownloadError", {
  reason: Schema.Union([FetchFailed, IndexUnreadable, NotPublished, HashDiffers, ArchiveRefused, DirectoryRefused])
}) {
  override get message(): string {
    return this.reason.message
  }
}
