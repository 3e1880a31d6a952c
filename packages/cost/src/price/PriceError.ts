/**
 * Errors of price book changes and previews.
 */
import { Schema } from "effect"

/** The book was changed since the caller read it (HTTP 409). */
export class StalePriceBook extends Schema.TaggedError<StalePriceBook>()("StalePriceBook", {
  version: Schema.Int,
  askedVersion: Schema.Int
}) {
  override get message(): string {
    return `version: is ${this.askedVersion}, but the price book is at version ${this.version} now; read it again`
  }
}

/** A field of the book is invalid (HTTP 400). */
export class InvalidPriceBook extends Schema.TaggedError<InvalidPriceBook>()("InvalidPriceBook", {
  /** Path such as `overrides[2].nodePerHour`; empty for the book as a whole. */
  field: Schema.String,
  problem: Schema.String
}) {
  override get message(): string {
    return this.field === "" ? this.problem : `${this.field}: ${this.problem}`
  }
}

/** The maximum number of price previews is running or waiting (HTTP 429). */
export class TooManyPreviews extends Schema.TaggedError<TooManyPreviews>()("TooManyPreviews", {
  waiting: Schema.Int
}) {
  override get message(): string {
    return `${this.waiting} price previews are running or waiting, which is the maximum; try again in a moment`
  }
}

export type PriceError = StalePriceBook | InvalidPriceBook
