/**
 * Why a call to a worker thread was not answered.
 */
import { Schema } from "effect"

/** As many calls wait as may: this one was not sent. */
export class ThreadBusy extends Schema.TaggedError<ThreadBusy>()("ThreadBusy", { waiting: Schema.Natural }) {
  override get message(): string {
    return `${this.waiting} calls are waiting`
  }
}

/** No answer came in time. What was asked may still be done. */
export class ThreadTimedOut extends Schema.TaggedError<ThreadTimedOut>()("ThreadTimedOut", {
  timeoutMs: Schema.Finite
}) {
  override get message(): string {
    return `no answer within ${this.timeoutMs} ms`
  }
}

/** The thread has ended, and every call fails from then on. */
export class ThreadEnded extends Schema.TaggedError<ThreadEnded>()("ThreadEnded", { cause: Schema.Defect() }) {
  override get message(): string {
    return this.cause instanceof Error ? this.cause.message : "the thread ended"
  }
}

export type ThreadFault = ThreadBusy | ThreadTimedOut | ThreadEnded
