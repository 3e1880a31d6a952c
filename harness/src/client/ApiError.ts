/** Why a call to a cluster's API failed. */
import { Schema } from "effect"

/**
 * The server refused the call.
 *
 * **Shape** `code`, `reason` and `text` are those of the server's Status; `text` is its message word for word. `status`
 * is the whole Status for those who look at its details; null when the body was none.
 */
export class ApiRefused extends Schema.TaggedError<ApiRefused>()("ApiRefused", {
  code: Schema.Int,
  reason: Schema.String,
  text: Schema.String,
  status: Schema.Unknown
}) {
  override get message(): string {
    return `${this.code} ${this.reason}: ${this.text}`
  }
}

/** No answer, or half of one. */
export class ApiUnreachable extends Schema.TaggedError<ApiUnreachable>()("ApiUnreachable", {
  cause: Schema.Defect()
}) {
  override get message(): string {
    return this.cause instanceof Error ? this.cause.message : String(this.cause)
  }
}

/** The client was used after its fleet had ended. */
export class ApiEnded extends Schema.TaggedError<ApiEnded>()("ApiEnded", {}) {
  override get message(): string {
    return "its fleet has ended"
  }
}

/** The answer, or the kind that was asked for, is not what the Kubernetes API knows. */
export class ApiUnexpected extends Schema.TaggedError<ApiUnexpected>()("ApiUnexpected", {
  problem: Schema.String
}) {
  override get message(): string {
    return this.problem
  }
}

/** Every failure of {@link ClusterApi}; recover from one with `Effect.catchReason`. */
export class ApiError extends Schema.TaggedError<ApiError>()("ApiError", {
  cluster: Schema.String,
  method: Schema.String,
  path: Schema.String,
  reason: Schema.Union([ApiRefused, ApiUnreachable, ApiEnded, ApiUnexpected])
}) {
  override get message(): string {
    return `${this.method} ${this.path} on ${this.cluster}: ${this.reason.message}`
  }
}
