/**
 * Why a price book was refused.
 */
import { Schema } from "effect"

/** The book was changed since it was read (HTTP 409). */
export class StalePriceBook extends Schema.TaggedError<StalePriceBook>()("StalePriceBook", {
  version: Schema.Int,
  askedVersion: Schema.Int
}) {
  override get message(): string {
    return `version: is ${this.askedVersion}, but the price book has version ${this.version} by now; read it again`
  }
}

/** Names the field of a book that is wrong (HTTP 400). */
export class InvalidPriceBook extends Schema.TaggedError<InvalidPriceBook>()("InvalidPriceBook", {
  /** Such as `overrides[2].nodePerHour`; empty for the book as a whole. */
  field: Schema.String,
  problem: Schema.String
}) {
  override get message(): string {
    return this.field === "" ? this.problem : `${this.field}: ${this.problem}`
  }
}

/** As many price books are previewed, or wait for it, as may (HTTP 429). */
export class TooManyPreviews extends Schema.TaggedError<TooManyPreviews>()("TooManyPreviews", {
  waiting: Schema.Int
}) {
  override get message(): string {
    return `${this.waiting} price books are being previewed or wait for it, which is the most; try again in a moment`
  }
}

export type PriceError = StalePriceBook | InvalidPriceBook
