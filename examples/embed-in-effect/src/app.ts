/** Quarterdeck below a path prefix of an Effect application. */
import { type Options, Quarterdeck } from "@quarterdeck/http-server"
import { Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"

/** The routes of the application, and of Quarterdeck below `/quarterdeck`. */
export const routes = (options: Options) =>
  Layer.mergeAll(
    HttpRouter.add("GET", "/", HttpServerResponse.text("an application of its own")),
    Quarterdeck.mount("/quarterdeck")
  ).pipe(Layer.provide(Quarterdeck.layer(options)))
