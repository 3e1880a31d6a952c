/**
 * Tells a path that no route has from one that has other methods.
 */
import { FindMyWay } from "effect/http"

/** Gives the methods that a path answers to. **Shape** empty when no route has the path; `HEAD` goes with `GET`. */
export type AllowedMethods = (url: string) => ReadonlyArray<string>

/**
 * Collects routes, matched as the router matches them.
 */
export const make = (
  routes: ReadonlyArray<{ readonly method: string; readonly path: `/${string}` }>,
  config: Partial<FindMyWay.RouterConfig>
): AllowedMethods => {
  const router = FindMyWay.make<string>(config)
  const methods = new Set(routes.map(({ method }) => method))
  for (const { method, path } of routes) router.on(method, path, method)
  return (url) =>
    [...methods]
      .filter((method) => router.find(method, url) !== undefined)
      .flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]))
}
