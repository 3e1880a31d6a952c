/**
 * Errors of a call that the worker thread did not answer.
 */
import { Schema } from "effect"

/** The limit of waiting calls is reached. The call was not sent. */
export class ThreadBusy extends Schema.TaggedError<ThreadBusy>()("ThreadBusy", { waiting: Schema.Natural }) {
  override get message(): string {
    return `${this.waiting} calls are waiting`
  }
}

/** The answer did not arrive in time. The worker may still run the call. */
export class ThreadTimedOut extends Schema.TaggedError<ThreadTimedOut>()("ThreadTimedOut", {
  timeoutMs: Schema.Finite
}) {
  override get message(): string {
    return `no answer within ${this.timeoutMs} ms`
  }
}

/** The thread has ended. Every later call fails too. */
export class ThreadEnded extends Schema.TaggedError<ThreadEnded>()("ThreadEnded", { cause: Schema.Defect() }) {
  override get message(): string {
    return this.cause instanceof Error ? this.cause.message : "the thread ended"
  }
}

export type ThreadFault = ThreadBusy | ThreadTimedOut | ThreadEnded
