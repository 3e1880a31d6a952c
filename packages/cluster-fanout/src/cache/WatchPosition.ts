/** Where the watch of a kind stands: from where it may go on after an outage, instead of being read whole again. */
import type { WatchEvent } from "../kube/KubeObject.ts"

/** A watch that is lost more often before it has caught up does not get there. */
const MOST_LOSSES = 5

export class WatchPosition {
  /** The version of what is held, once that is whole. */
  #version: string | undefined
  /** When the server was last heard of before the watch was lost, while it is. */
  #lostAt: number | undefined
  #losses = 0

  /** Notes what the watch told, once it is held. */
  heard(events: ReadonlyArray<WatchEvent>): void {
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
          this.#found()
          break
        case "Resumed":
          this.#found()
          break
        case "Restart":
          this.forget()
          break
      }
    }
  }

  /** Notes that the watch was lost. **Units** milliseconds by `steadyClock`; the first loss counts until it has caught up. */
  lost(at: number): void {
    this.#lostAt ??= at
    this.#losses++
  }

  #found(): void {
    this.#lostAt = undefined
    this.#losses = 0
  }

  /** What is held is no longer what a watch could go on from. */
  forget(): void {
    this.#version = undefined
    this.#found()
  }

  /** Gives the version to go on from, if there is one and the watch was not lost for longer than `withinMs`. */
  from(now: number, withinMs: number): string | undefined {
    if (this.#lostAt === undefined || this.#losses > MOST_LOSSES) return undefined
    return now - this.#lostAt > withinMs ? undefined : this.#version
  }
}
