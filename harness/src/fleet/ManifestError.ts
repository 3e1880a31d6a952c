/** Why a manifest file cannot be read. */
import { Schema } from "effect"

/**
 * A file or a document in it is no manifest.
 *
 * **Shape** `document` counts from 1 and is absent when the whole file is meant.
 */
export class ManifestUnreadable extends Schema.TaggedError<ManifestUnreadable>()("ManifestUnreadable", {
  file: Schema.String,
  document: Schema.optionalKey(Schema.Natural),
  problem: Schema.String
}) {
  override get message(): string {
    return `${placeOf(this.file, this.document)}: ${this.problem}`
  }
}

/** `app.yaml, document 2` */
export const placeOf = (file: string, document: number | undefined): string =>
  document === undefined ? file : `${file}, document ${document}`
