/**
 * Token buckets by name, in a table of bounded size.
 *
 * **Limits** each call is constant time; at most `capacity` buckets are remembered.
 */

/** The rate at which buckets fill. **Units** `perSecond` tokens per second, up to `burst`. A new bucket is full. */
export interface Rate {
  readonly perSecond: number
  readonly burst: number
}

/**
 * The outcome of taking tokens, and the state of the bucket. `fullInMs` is 0 for a full bucket.
 *
 * **Units** milliseconds; `remaining` in tokens.
 */
export interface Verdict {
  readonly isAllowed: boolean
  readonly remaining: number
  readonly fullInMs: number
  /** Time until the same number of tokens is available. 0 if they were taken. */
  readonly retryInMs: number
}

interface Bucket {
  tokens: number
  at: number
}

/** Tolerance for floating-point sums of fractional tokens. */
const ROUNDING = 1e-9

/** Number of least recently used buckets to check for one that is full and can be evicted. */
const LOOKS = 8

export class TokenBuckets {
  readonly rate: Rate
  readonly #capacity: number
  /** Least recently used first. A full bucket equals a missing one, so it can be evicted. */
  readonly #buckets = new Map<string, Bucket>()
  /** The bucket of all names that find no room. A client that fills the table with names gets no fresh buckets. */
  readonly #overflow: Bucket

  constructor(rate: Rate, capacity: number) {
    this.rate = rate
    this.#capacity = capacity
    this.#overflow = { tokens: rate.burst, at: 0 }
  }

  get size(): number {
    return this.#buckets.size
  }

  /** Takes all of the tokens, or none. A cost above the burst never succeeds. */
  take(name: string, cost: number, nowMs: number): Verdict {
    const bucket = this.#bucketOf(name, nowMs)
    this.#fill(bucket, nowMs)
    const isAllowed = bucket.tokens >= cost - ROUNDING
    if (isAllowed) bucket.tokens = Math.max(0, bucket.tokens - cost)
    return {
      isAllowed,
      remaining: Math.floor(bucket.tokens + ROUNDING),
      fullInMs: this.#msUntil(bucket, this.rate.burst),
      retryInMs: isAllowed ? 0 : this.#msUntil(bucket, cost)
    }
  }

  /** Returns true if `take` would refuse. Takes nothing, and makes no bucket. */
  refuses(name: string, cost: number, nowMs: number): boolean {
    const found = this.#buckets.get(name)
    if (found === undefined && this.#hasRoom(nowMs)) return cost - ROUNDING > this.rate.burst
    const bucket = found ?? this.#overflow
    this.#fill(bucket, nowMs)
    return bucket.tokens < cost - ROUNDING
  }

  #bucketOf(name: string, nowMs: number): Bucket {
    const found = this.#buckets.get(name)
    if (found === undefined && this.#buckets.size >= this.#capacity) {
      const evicted = this.#evictable(nowMs)
      if (evicted === undefined) return this.#overflow
      this.#buckets.delete(evicted)
    }
    const bucket = found ?? { tokens: this.rate.burst, at: nowMs }
    this.#buckets.delete(name)
    this.#buckets.set(name, bucket)
    return bucket
  }

  #hasRoom(nowMs: number): boolean {
    return this.#buckets.size < this.#capacity || this.#evictable(nowMs) !== undefined
  }

  /** Returns the name of a full bucket among the least recently used ones. */
  #evictable(nowMs: number): string | undefined {
    let looks = 0
    for (const [name, bucket] of this.#buckets) {
      this.#fill(bucket, nowMs)
      if (bucket.tokens >= this.rate.burst) return name
      if (++looks === LOOKS) return undefined
    }
    return undefined
  }

  /** Adds the tokens of the elapsed time. A clock that was set back adds none. */
  #fill(bucket: Bucket, nowMs: number): void {
    const passedMs = Math.max(0, nowMs - bucket.at)
    bucket.tokens = Math.min(this.rate.burst, bucket.tokens + (passedMs * this.rate.perSecond) / 1_000)
    bucket.at = nowMs
  }

  #msUntil(bucket: Bucket, tokens: number): number {
    return Math.max(0, Math.ceil(((tokens - ROUNDING - bucket.tokens) * 1_000) / this.rate.perSecond))
  }
}
