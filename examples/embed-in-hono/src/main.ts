/** Quarterdeck under a prefix of a Hono application. */
import { getConnInfo } from "@hono/node-server/conninfo"
import { serve } from "@hono/node-server"
import { Quarterdeck } from "@quarterdeck/http-server"
import { Hono } from "hono"

const quarterdeck = await Quarterdeck.start({
  clusters: { kubeconfig: ["./kubeconfig.yaml"], parent: "hub" },
  keys: { file: "./keys.yaml" }
})
