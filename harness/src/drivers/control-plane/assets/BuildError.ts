/** Errors of building the programs of a control plane. */
import { Schema } from "effect"

export class GoMissing extends Schema.TaggedError<GoMissing>()("GoMissing", {
  needed: Schema.String
}) {
  override get message(): string {
    return `Go is not installed; version ${this.needed} or newer is needed`
  }
}

export class GoTooOld extends Schema.TaggedError<GoTooOld>()("GoTooOld", {
  found: Schema.String,
  needed: Schema.String
}) {
  override get message(): string {
    return `Go ${this.found} is too old; version ${this.needed} or newer is needed`
  }
}

/** The compiler or a fetch of its dependencies failed. `lastLine` is the end of its output. */
export class CompilationFailed extends Schema.TaggedError<CompilationFailed>()("CompilationFailed", {
  program: Schema.String,
  lastLine: Schema.String
}) {
  override get message(): string {
    return `${this.program} could not be built: ${this.lastLine}`
  }
}

/** Go could not list the releases or fetch one. `lastLine` is the end of its output. */
export class ModuleUnavailable extends Schema.TaggedError<ModuleUnavailable>()("ModuleUnavailable", {
  module: Schema.String,
  lastLine: Schema.String
}) {
  override get message(): string {
    return `Go could not fetch ${this.module}: ${this.lastLine}`
  }
}

/** No release has this name. `available` lists some releases, the newest first. */
export class NoSuchRelease extends Schema.TaggedError<NoSuchRelease>()("NoSuchRelease", {
  version: Schema.String,
  available: Schema.Array(Schema.String)
}) {
  override get message(): string {
    const known = this.available.length === 0 ? "" : `; available: ${this.available.join(", ")}`
    return `${this.version} is not a release of Kubernetes${known}`
  }
}

export class DirectoryRefused extends Schema.TaggedError<DirectoryRefused>()("DirectoryRefused", {
  action: Schema.String,
  cause: Schema.Defect()
}) {
  override get message(): string {
    return `could not ${this.action}: ${this.cause instanceof Error ? this.cause.message : String(this.cause)}`
  }
}

/** Another build still held the lock after 30 minutes. */
export class BuildLocked extends Schema.TaggedError<BuildLocked>()("BuildLocked", {
  owner: Schema.String
}) {
  override get message(): string {
    return `another build (process ${this.owner}) is still running`
  }
}

/** Any failure of a build. */
export class BuildError extends Schema.TaggedError<BuildError>()("BuildError", {
  reason: Schema.Union([
    GoMissing,
    GoTooOld,
    CompilationFailed,
    ModuleUnavailable,
    NoSuchRelease,
    DirectoryRefused,
    BuildLocked
  ])
}) {
  override get message(): string {
    return this.reason.message
  }
}
