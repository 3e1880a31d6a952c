/**
 * Quarterdeck under a prefix of a Hono application.
 */
import { getConnInfo } from "@hono/node-server/conninfo"
import type { Embedded } from "@quarterdeck/http-server"
import { Hono } from "hono"
import { mount } from "hono/mount"

/** Mounts the service; Hono takes the prefix off the path. */
export const makeApp = (quarterdeck: Pick<Embedded, "webHandler">) => {
  const app = new Hono()
  app.get("/", (context) => context.text("an application of its own"))
  // The dashboard names its files relative to its address, which ends with a slash.
  app.get("/quarterdeck", (context) => context.redirect("/quarterdeck/"))
  app.all(
    "/quarterdeck/*",
    mount(quarterdeck.webHandler, {
      // A web-standard request does not know its client; the socket does. Nor does it know what was taken off its path.
      optionHandler: (context) => ({ clientAddress: getConnInfo(context).remote.address, mountPath: "/quarterdeck" })
    })
  )
  return app
}
