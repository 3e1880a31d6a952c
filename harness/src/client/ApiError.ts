/** Errors of calls to a cluster's API. */
import { Schema } from "effect"

/**
 * The server answered with an error status.
 *
 * **Shape** `code`, `reason` and `text` come from the server's Status; `text` is its message, unchanged. `status` is
 * the whole Status, or null if the body was not JSON.
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

/** The server sent no response, or its response broke off. */
export class ApiUnreachable extends Schema.TaggedError<ApiUnreachable>()("ApiUnreachable", {
  cause: Schema.Defect()
}) {
  override get message(): string {
    return this.cause instanceof Error ? this.cause.message : String(this.cause)
  }
}

/** The client was used after its fleet had been stopped. */
export class ApiEnded extends Schema.TaggedError<ApiEnded>()("ApiEnded", {}) {
  override get message(): string {
    return "its fleet has been stopped"
  }
}

/** The response is not valid for the Kubernetes API, or the cluster does not serve the requested kind. */
export class ApiUnexpected extends Schema.TaggedError<ApiUnexpected>()("ApiUnexpected", {
  problem: Schema.String
}) {
  override get message(): string {
    return this.problem
  }
}

/** Any failure of {@link ClusterApi}. Recover from a single reason with `Effect.catchReason`. */
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
