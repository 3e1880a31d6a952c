import { NodeHttpServer, NodeRuntime } from "@effect/platform-node"
import { Layer } from "effect"
import { HttpRouter } from "effect/http"
import { createServer } from "node:http"
import { routes } from "./app.ts"

const app = HttpRouter.serve(
  routes({
    clusters: { kubeconfig: ["./kubeconfig.yaml"], parent: "hub" },
    keys: { file: "./keys.yaml" }
  })
).pipe(Layer.provide(NodeHttpServer.layer(createServer, { port: 8080 })))

NodeRuntime.runMain(Layer.launch(app))
