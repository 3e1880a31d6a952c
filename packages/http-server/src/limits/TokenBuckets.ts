/**
 * Token buckets by name, in a table of bounded size.
 *
 * **Limits** each call is constant time; at most `capacity` buckets are remembered.
 */

/** How fast buckets fill. **Units** `perSecond` tokens a second, up to `burst`, with which each bucket begins. */
export interface Rate {
  readonly perSecond: number
  readonly burst: number
}

/**
 * Whether tokens were taken, and what the bucket has left; `fullInMs` is 0 for a full bucket.
 *
 * **Units** milliseconds; `remaining` in tokens.
 */
export interface Verdict {
  readonly isAllowed: boolean
  readonly remaining: number
  readonly fullInMs: number
  /** When the same may be taken; 0 where it was. */
  readonly retryInMs: number
}

interface Bucket {
  tokens: number
  at: number
}

/** What sums of parts may lack of the whole. */
const ROUNDING = 1e-9

/** How many of the longest unused buckets are looked at for one that has filled up. */
const LOOKS = 8

export class TokenBuckets {
  readonly rate: Rate
  readonly #capacity: number
  /** The longest unused first. A full bucket says the same as none. */
  readonly #buckets = new Map<string, Bucket>()
  /** Shared by all names that find no room: whoever fills the table gains no fresh buckets by it. */
  readonly #overflow: Bucket

  constructor(rate: Rate, capacity: number) {
    this.rate = rate
    this.#capacity = capacity
    this.#overflow = { tokens: rate.burst, at: 0 }
  }

  get size(): number {
    return this.#buckets.size
  }

  /** Takes tokens, all or none. **Shape** more than the burst is never there. */
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

  #bucketOf(name: string, nowMs: number): Bucket {
    const found = this.#buckets.get(name)
    if (found === undefined && this.#buckets.size >= this.#capacity && !this.#makeRoom(nowMs)) return this.#overflow
    const bucket = found ?? { tokens: this.rate.burst, at: nowMs }
    this.#buckets.delete(name)
    this.#buckets.set(name, bucket)
    return bucket
  }

  #makeRoom(nowMs: number): boolean {
    let looks = 0
    for (const [name, bucket] of this.#buckets) {
      this.#fill(bucket, nowMs)
      if (bucket.tokens >= this.rate.burst) return this.#buckets.delete(name)
      if (++looks === LOOKS) return false
    }
    return false
  }

  /** A clock that was set back fills nothing. */
  #fill(bucket: Bucket, nowMs: number): void {
    const passedMs = Math.max(0, nowMs - bucket.at)
    bucket.tokens = Math.min(this.rate.burst, bucket.tokens + (passedMs * this.rate.perSecond) / 1_000)
    bucket.at = nowMs
  }

  #msUntil(bucket: Bucket, tokens: number): number {
    return Math.max(0, Math.ceil(((tokens - ROUNDING - bucket.tokens) * 1_000) / this.rate.perSecond))
  }
}
