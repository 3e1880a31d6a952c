/**
 * Where a host mounted the service: the part of a request's path that the host took off before the service saw it.
 */
import { Context, Effect, Option, Predicate } from "effect"
import { HttpServerRequest } from "effect/http"

/** What the host says itself, where its requests do not tell. **Example** `/quarterdeck` */
export const Stated = Context.Reference<Option.Option<string>>("@quarterdeck/http-server/MountPath", {
  defaultValue: () => Option.none()
})

/** Matches a path whose segments need no escape: what a document repeats must not be any text that a caller sends. */
const PLAIN = /^(?:\/[A-Za-z0-9._~-]+)+$/

/**
 * Finds the mount path of the current request, which Express and Effect keep beside the path that is left.
 *
 * **Shape** `None` for a service that is not mounted, and where nothing tells: a proxy that takes a prefix off does not.
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

/** Gives the path of an address, without origin, query and fragment. */
const pathOf = (url: string): string => url.replace(/^[a-z]+:\/\/[^/?#]*/i, "").replace(/[?#].*$/s, "")
