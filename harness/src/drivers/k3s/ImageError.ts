/** Errors of building the harness's own image. */
import { Schema } from "effect"
import { CompilationFailed, DirectoryRefused, GoMissing, GoTooOld } from "../control-plane/assets/BuildError.ts"
import { EngineRefused, EngineUnreachable } from "./DockerEngine.ts"

/** Programs of the control plane are missing on this machine. */
export class ProgramsMissing extends Schema.TaggedError<ProgramsMissing>()("ProgramsMissing", {
  names: Schema.Array(Schema.String),
  remedy: Schema.String
}) {
  override get message(): string {
    return `${this.names.join(" and ")} not found; ${this.remedy}`
  }
}

/** No statically linked busybox was found. The image needs one for its shell and tools. */
export class BusyboxMissing extends Schema.TaggedError<BusyboxMissing>()("BusyboxMissing", {
  looked: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return (
      `no statically linked busybox in ${this.looked.join(", ")}; install it (Debian and Ubuntu:`
      + " `apt-get install busybox-static`)"
    )
  }
}

/** Any failure of building the image. */
export class ImageError extends Schema.TaggedError<ImageError>()("ImageError", {
  reason: Schema.Union([
    ProgramsMissing,
    BusyboxMissing,
    GoMissing,
    GoTooOld,
    CompilationFailed,
    DirectoryRefused,
    EngineUnreachable,
    EngineRefused
  ])
}) {
  override get message(): string {
    return this.reason.message
  }
}
