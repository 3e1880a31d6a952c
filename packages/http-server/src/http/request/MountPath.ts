/**
 * The path under which a host application mounts the service. The host strips this prefix from each request's path.
 */
import { Context, Effect, Option, Predicate } from "effect"
import { HttpServerRequest } from "effect/http"

/** Mount path that the host configures, if its requests do not carry the original URL. **Example** `/quarterdeck` */
export const Stated = Context.Reference<Option.Option<string>>("@quarterdeck/http-server/MountPath", {
  defaultValue: () => Option.none()
})

/** Matches a path whose segments need no escaping. Generated documents contain the path, which a caller may have sent. */
const PLAIN = /^(?:\/[A-Za-z0-9._~-]+)+$/

/**
 * Finds the mount path of the current request. Express and Effect keep the original URL beside the stripped one.
 *
 * **Shape** `None` if the service is not mounted, or is behind a proxy that strips a prefix without keeping the original.
 */
export const find = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  const stated = yield* Stated
  return Option.filter(
    Option.orElse(stated, () => takenOff(originalOf(request), pathOf(request.url))),
    (path) => PLAIN.test(path)
  )
})

const originalOf = ({ originalUrl, source }: HttpServerRequest.HttpServerRequest): string =>
  Predicate.hasProperty(source, "originalUrl") && typeof source.originalUrl === "string"
    ? source.originalUrl
    : originalUrl

const takenOff = (original: string, rest: string): Option.Option<string> => {
  const path = pathOf(original)
  return path.endsWith(rest) ? Option.some(path.slice(0, path.length - rest.length)) : Option.none()
}

/** Returns the path of a URL, without origin, query and fragment. */
const pathOf = (url: string): string => url.replace(/^[a-z]+:\/\/[^/?#]*/i, "").replace(/[?#].*$/s, "")
