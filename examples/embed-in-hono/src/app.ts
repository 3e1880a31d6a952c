/** Quarterdeck below a path prefix of a Hono application. */
import { getConnInfo } from "@hono/node-server/conninfo"
import type { Embedded } from "@quarterdeck/http-server"
import { Hono } from "hono"
import { mount } from "hono/mount"

/** Mounts Quarterdeck. Hono removes the prefix from the path. */
export const makeApp = (quarterdeck: Pick<Embedded, "webHandler">) => {
  const app = new Hono()
  app.get("/", (context) => context.text("an application of its own"))
  // The dashboard's URLs are relative to its address, which must end with a slash.
  app.get("/quarterdeck", (context) => context.redirect("/quarterdeck/"))
  app.all(
    "/quarterdeck/*",
    mount(quarterdeck.webHandler, {
      // A web-standard request contains neither the client's address nor the removed prefix, so both are passed on.
      optionHandler: (context) => ({ clientAddress: getConnInfo(context).remote.address, mountPath: "/quarterdeck" })
    })
  )
  return app
}
