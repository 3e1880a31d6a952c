/** The position of a kind's watch, from which it may resume after an outage instead of being listed again. */
import type { WatchEvent } from "../kube/KubeObject.ts"

/** Consecutive losses of the watch after which the kind is listed again. */
const MAX_LOSSES = 5

export class WatchPosition {
  /** Resource version of the cached records, once they are complete. */
  #version: string | undefined
  /** Time when the server last sent data before the watch was lost; `undefined` while the watch runs. */
  #lostAt: number | undefined
  #losses = 0

  /** Records watch events after they have been applied. */
  applied(events: ReadonlyArray<WatchEvent>): void {
    for (const event of events) {
      switch (event._tag) {
        case "Put":
        case "Delete":
          if (this.#version !== undefined) this.#version = event.object.metadata.resourceVersion
          break
        case "Bookmark":
          if (this.#version !== undefined) this.#version = event.resourceVersion
          break
        case "Synced":
          this.#version = event.resourceVersion
          this.#caughtUp()
          break
        case "Resumed":
          this.#caughtUp()
          break
        case "Restart":
          this.forget()
          break
      }
    }
  }

  /**
   * Records that the watch was lost. Of several losses in a row, the time of the first is kept until the watch has caught
   * up. **Units** milliseconds by `steadyClock`.
   */
  lost(at: number): void {
    this.#lostAt ??= at
    this.#losses++
  }

  #caughtUp(): void {
    this.#lostAt = undefined
    this.#losses = 0
  }

  /** Drops the position: the cached records no longer match it. */
  forget(): void {
    this.#version = undefined
    this.#caughtUp()
  }

  /** Returns the version to resume from, if there is one and the watch was lost for at most `withinMs`. */
  from(now: number, withinMs: number): string | undefined {
    if (this.#lostAt === undefined || this.#losses > MAX_LOSSES) return undefined
    return now - this.#lostAt > withinMs ? undefined : this.#version
  }
}
