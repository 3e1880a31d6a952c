/**
 * Quarterdeck under a prefix of a Hono application.
 */
import type { HttpBindings } from "@hono/node-server"
import type { Embedded } from "@quarterdeck/http-server"
import { Hono } from "hono"

/** Mounts the service; Hono takes the prefix off the path. */
export const makeApp = (quarterdeck: Pick<Embedded, "webHandler">) =>
  new Hono<{ Bindings: HttpBindings }>()
    .get("/", (context) => context.text("an application of its own"))
    .mount("/quarterdeck", quarterdeck.webHandler, {
      // A web-standard request does not know its client; the socket does.
      optionHandler: (context) => ({ clientAddress: context.env.incoming.socket.remoteAddress })
    })
