import { serve } from "@hono/node-server"
import { Quarterdeck } from "@quarterdeck/http-server"
import { makeApp } from "./app.ts"

const quarterdeck = await Quarterdeck.start({
  clusters: { kubeconfig: ["./kubeconfig.yaml"], parent: "hub" },
  keys: { file: "./keys.yaml" }
})
serve({ fetch: makeApp(quarterdeck).fetch, port: 8080 })
