/** Where the watch of a kind stands: from where it may go on after an outage, instead of being read whole again. */
import type { WatchEvent } from "../kube/KubeObject.ts"

export class WatchPosition {
  /** The version of what is held, once that is whole. */
  #version: string | undefined
  /** When the server was last heard of before the watch was lost, while it is. */
  #lostAt: number | undefined

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
          this.#lostAt = undefined
          break
        case "Resumed":
          this.#lostAt = undefined
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
  }

  /** What is held is no longer what a watch could go on from. */
  forget(): void {
    this.#version = undefined
    this.#lostAt = undefined
  }

  /** Gives the version to go on from, if there is one and the watch was not lost for longer than `withinMs`. */
  from(now: number, withinMs: number): string | undefined {
    return this.#lostAt === undefined || now - this.#lostAt > withinMs ? undefined : this.#version
  }
}
